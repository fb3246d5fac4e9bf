"""Home: the lineage of attention, and the way to each page. Runs no model."""

from app.views import home

home.draw()
