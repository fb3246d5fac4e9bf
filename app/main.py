"""Entry of the app: ``streamlit run app/main.py``."""

# ruff: noqa: E402, I001
import pandas  # type: ignore[import-untyped]  # noqa: F401  first: cold sessions race inside plotly (plotly/plotly.py#2433)

import os
import sys
from pathlib import Path

# Before torch arrives: its threads sleep between runs in place of spinning against other visitors.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

ROOT = str(Path(__file__).resolve().parents[1])
if ROOT not in sys.path:  # Streamlit puts app/ there, not the root
    sys.path.insert(0, ROOT)

from app import frame

frame.run()
