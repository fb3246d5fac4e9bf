"""Analysis and figures start fast: neither pulls in torch or pandas."""

import subprocess
import sys


def test_no_torch_no_pandas():
    code = (
        "import sys, attnviz.analysis, attnviz.figures;"
        "print([m for m in ('torch', 'pandas', 'streamlit') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
