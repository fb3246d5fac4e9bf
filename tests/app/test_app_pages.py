"""Every page of the registry opens; the frame's promises."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app import prose, show, state
from app.registry import LINEAGE, PAGES, THUMBNAILS, page_at
from app.views import vit_attention
from attnviz.figures import theme
from tests.app.apptest import MAIN, html

ROOT = MAIN.parents[1]
CONFIG = tomllib.loads((ROOT / ".streamlit/config.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.title)
def test_every_page_opens(home: AppTest, page) -> None:
    if page.url:
        home.switch_page(page.path).run()
    assert not home.exception and not home.error
    assert len(home.title) == 1
    if page.url:
        assert home.title[0].value == page.title


def test_registry() -> None:
    assert len({page.url for page in PAGES}) == len(PAGES)
    assert all((MAIN.parent / page.path).resolve().is_file() for page in PAGES)
    assert [step.year for step in LINEAGE] == sorted(step.year for step in LINEAGE)
    for step in LINEAGE:
        assert re.fullmatch(r"\d{4}\.\d{4,5}", step.arxiv)
        if step.page:
            page_at(step.page)
            assert 2_000 < (THUMBNAILS / f"{step.page}.jpg").stat().st_size < 60_000


def test_home_tells_the_lineage_and_links_what_exists(home: AppTest) -> None:
    page = html(home)
    for step in LINEAGE:
        assert step.arxiv in page
        assert (f'class="step">{step.title}<' in page) != bool(step.page)
    assert len(home.get("page_link")) == sum(bool(step.page) for step in LINEAGE)


def test_home_imports_no_torch() -> None:
    code = (
        "import sys\n"
        "from streamlit.testing.v1 import AppTest\n"
        f"app = AppTest.from_file({str(MAIN)!r}, default_timeout=60).run()\n"
        "assert not app.exception and app.title[0].value\n"
        "sys.exit('torch' in sys.modules or 'timm' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


@pytest.mark.parametrize(
    ("page", "shown"),
    [
        ("vit", "len(app.image) == 1 and len(app.button) > 5"),
        ("rnn", "app.text_input[0].value and len(app.button) > 5"),
        ("seq2seq", "app.text_input[0].value and len(app.button) > 5"),
    ],
)
def test_what_is_looked_at_is_on_show_before_torch_arrives(page: str, shown: str) -> None:
    """The page is run where torch cannot be imported; what it painted until then stays."""
    code = (
        "import sys\n"
        "class NoTorch:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name.split('.')[0] == 'torch':\n"
        "            raise RuntimeError('not yet')\n"
        "sys.meta_path.insert(0, NoTorch())\n"
        "from streamlit.testing.v1 import AppTest\n"
        f"app = AppTest.from_file({str(MAIN)!r}, default_timeout=60).run()\n"
        f"app.switch_page('../pages/{page}.py').run()\n"
        f"assert not app.exception and app.title[0].value == {page_at(page).title!r}\n"
        f"assert {shown}\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_pandas_comes_first() -> None:
    imports = re.findall(r"^(?:import|from) (\w+)", MAIN.read_text(encoding="utf-8"), re.M)
    assert imports[0] == "pandas"


def test_keys_are_named_once() -> None:
    names = [
        value
        for group in (
            state.Shared,
            state.Vit,
            state.Seq2seq,
            state.Rnn,
            state.Attention,
            state.Studies,
            state.Transformer,
            state.Mini,
            state.Positions,
            state.Why,
        )
        for name, value in vars(group).items()
        if name.isupper()
    ]
    assert len(names) == len(set(names))


def test_prose_has_what_the_pages_read() -> None:
    for source in [*Path(ROOT, "app").rglob("*.py"), *Path(ROOT, "pages").glob("*.py")]:
        code = source.read_text(encoding="utf-8")
        for page, heading in re.findall(r'prose\.text\("(\w+)", "([^"]+)"', code):
            assert prose.text(page, heading)
        for page, heading in re.findall(r'show\.explain\("(\w+)", "([^"]+)"', code):
            assert prose.text(page, f"How: {heading}")
    for method in vit_attention.METHODS:
        assert prose.text("vit", method) and prose.text("vit", f"How: {method}")
    with pytest.raises(LookupError, match="it has: question"):
        prose.text("vit", "nothing")


def test_no_traceback_reaches_a_visitor(capfd: pytest.CaptureFixture[str]) -> None:
    def script() -> None:
        from app import show

        @show.panel
        def broken() -> None:
            raise RuntimeError("secret <detail>")

        broken()
        with show.guard():
            raise show.Problem("This cannot be $shown$.")

    app = AppTest.from_function(script).run()
    assert not app.exception
    assert [error.value for error in app.error] == [
        show.literal(show.TROUBLE),
        r"This cannot be \$shown\$\.",
    ]


def test_text_from_outside_is_shown_literally() -> None:
    def script() -> None:
        from app import show

        show.labels("<b>", [("<unk> $x$", 0.5), ("**a**", 0.0004)])
        show.values("<i>", [("</table>", 0.1)], unit="&")
        show.facts([("<dt>", "<script>alert(1)</script>")])

    page = html(AppTest.from_function(script).run())
    assert "&lt;unk&gt; $x$" in page and "&lt; 0.1 %" in page and "**a**" in page
    assert "<script>" not in page and "<td></table>" not in page and "<b>&lt;b&gt;" not in page
    assert show.literal("a*b_[c](d) :red[x]\n$") == r"a\*b\_\[c\]\(d\) \:red\[x\] \$"


def test_colours_are_those_of_the_figures() -> None:
    assert CONFIG["theme"]["chartCategoricalColors"] == list(theme.CATEGORICAL)
    style = (ROOT / "app/style.css").read_text(encoding="utf-8")
    light, dark = CONFIG["theme"]["light"], CONFIG["theme"]["dark"]
    accents = f"--accent: light-dark({light['primaryColor']}, {dark['primaryColor']})"
    assert accents in style
    quiet = re.search(r"--quiet: light-dark\((#\w{6}), (#\w{6})\)", style)
    assert quiet
    for colours, muted in ((light, quiet[1]), (dark, quiet[2])):
        for name in ("backgroundColor", "secondaryBackgroundColor"):
            for text in (colours["textColor"], colours["primaryColor"], muted):
                assert contrast(text, colours[name]) >= 4.5, (text, colours[name])


def contrast(one: str, other: str) -> float:
    """The WCAG ratio of two colours."""

    def luminance(colour: str) -> float:
        channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_settings() -> None:
    assert CONFIG["browser"]["gatherUsageStats"] is False
    assert 8 <= CONFIG["server"]["maxUploadSize"] <= 16
    assert CONFIG["client"]["showErrorDetails"] == "none"
