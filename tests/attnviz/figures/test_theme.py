"""Colours readable on both backgrounds, text shown literally, sheets that take the page's look."""

import numpy as np
import pytest

from attnviz.figures import theme


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2.2 defines it."""
    channels = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("background", ["#ffffff", "#0e1117", "#1c1e22"])
@pytest.mark.parametrize("colour", [*theme.CATEGORICAL, theme.ACCENT, theme.NEUTRAL])
def test_lines_and_markers_stand_out_on_light_and_dark(colour, background):
    assert contrast(colour, background) >= 3


def test_there_are_ten_different_categorical_colours():
    assert len(set(theme.CATEGORICAL)) == 10


@pytest.mark.parametrize("name", theme.SCALES)
def test_a_colour_table_is_the_scale_in_256_steps(name):
    table = theme.colour_table(name)
    assert table.shape == (256, 3)
    assert table.dtype == np.uint8
    first, last = theme.SCALES[name][0][1], theme.SCALES[name][-1][1]
    assert ["#" + bytes(row).hex() for row in table[[0, -1]]] == [first.lower(), last.lower()]


@pytest.mark.parametrize("name", ["viridis", "cividis"])
def test_sequential_scales_only_get_brighter(name):
    steps = np.diff([luminance("#" + bytes(row).hex()) for row in theme.colour_table(name)])
    assert steps.min() > -0.002  # rounding to bytes
    assert steps.sum() > 0.5


def test_the_diverging_scale_is_palest_in_the_middle():
    brightness = [luminance("#" + bytes(row).hex()) for row in theme.colour_table("diverging")]
    assert abs(int(np.argmax(brightness)) - 127.5) < 2


def test_unknown_colours_are_refused_by_name():
    with pytest.raises(ValueError, match="viridis, cividis, diverging, not 'jet'"):
        theme.colour_table("jet")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<unk>", "&lt;unk&gt;"),
        ("a <b>bold</b> claim", "a &lt;b&gt;bold&lt;/b&gt; claim"),
        ("R&D", "R&amp;D"),
        ("&lt;", "&amp;lt;"),
        ("$x$ costs $5", "&#36;x&#36; costs &#36;5"),
        ("%{y}", "%&#123;y}"),
        ("two\nlines\tand a tab", "two lines and a tab"),
        ("고양이", "고양이"),
    ],
)
def test_text_is_shown_literally(text, shown):
    assert theme.escape(text) == shown


def test_wrapping_counts_characters_not_escapes_and_cuts_long_words():
    assert theme.wrap("<<<< >>>>", 4) == "&lt;&lt;&lt;&lt;<br>&gt;&gt;&gt;&gt;"
    assert theme.wrap("donaudampfschiff", 6) == "donaud<br>ampfsc<br>hiff"
    assert theme.line_count(theme.wrap("one two three", 7)) == 2
    assert theme.line_count(theme.wrap("", 7)) == 0


def test_a_sheet_is_transparent_and_leaves_text_to_the_page():
    figure = theme.sheet(title="A title", height=300)
    layout = figure.to_plotly_json()["layout"]
    assert layout["paper_bgcolor"] == layout["plot_bgcolor"] == "rgba(0,0,0,0)"
    assert "font" not in layout
    assert layout["title"]["font"] == {"size": 14}
    assert not layout["xaxis"]["showgrid"]
    assert not layout["yaxis"]["showgrid"]
    assert len(figure.to_json()) < 1500


def test_long_titles_wrap_and_push_the_plot_down():
    short, long = (
        theme.sheet(title="Short", height=300),
        theme.sheet(title="long " * 18, height=300),
    )
    assert long.layout.title.text.count("<br>") == 1
    assert long.layout.margin.t == short.layout.margin.t + 20
    assert theme.sheet(height=300).layout.title.text is None


def test_the_scale_runs_from_zero_to_the_largest_value():
    settings = theme.scale(
        np.array([0.2, 0.04]), colours="viridis", maximum=None, name="weight <w>"
    )
    assert (settings["zmin"], settings["zmax"]) == (0, 0.2)
    assert settings["colorbar"]["ticktext"] == ["0", "0.1", "0.2"]
    assert settings["colorbar"]["title"]["text"] == "weight &lt;w&gt;"


def test_a_clipped_scale_says_that_values_lie_beyond():
    settings = theme.scale(np.array([0.2, -0.3]), colours="diverging", maximum=0.1, name="change")
    assert (settings["zmin"], settings["zmax"]) == (-0.1, 0.1)
    assert settings["colorbar"]["ticktext"] == ["≤ −0.1", "0", "≥ 0.1"]


@pytest.mark.parametrize("values", [np.zeros(3), np.full(3, np.nan), np.empty(0)])
def test_nothing_to_show_still_has_a_scale(values):
    settings = theme.scale(values, colours="viridis", maximum=None, name="weight")
    assert settings["zmax"] == 1
