"""Small browser components: what must answer within one frame, without asking the server.

Each is a folder of plain HTML, CSS and JavaScript (no build step) with its Python face in
``__init__.py``. To add one:

1. Make ``app/components/NAME/`` with ``NAME.html`` (the fixed skeleton), ``NAME.css`` and one or
   more ``*.js``. Exactly one of them has ``export default function (component) {…}``. All files
   become one module after those of ``common/``: use what is there, and keep names apart.
2. In ``__init__.py`` call ``register("NAME", __file__)`` once, and write one function that checks
   its arguments (numbers in the message), packs them with ``pack`` and mounts with ``mount``.
3. The default function runs again whenever the page reruns: keep its state on an element of its
   own, and return early if the message's stamp is the old one.
4. The message must not depend on what the visitor chose in the browser, or Streamlit sends all of
   it again on every click. ``mount`` keeps a choice in step with the page without that.
5. Text that comes from outside goes into ``textContent``, never into HTML, CSS or JavaScript.
6. Give it a case in ``tests/browser/demo`` and tests in ``tests/browser/test_components.py``.
"""
