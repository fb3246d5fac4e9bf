"""The views of the pages: each draws one panel from a subject. Pages choose between them."""
