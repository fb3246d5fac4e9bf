"""Pickers of the pages of sentences: the corpus, the sentence, the kind of translator."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app import show, state, translations
from app.state import Shared
from app.translations import KINDS
from attnviz.data.held_out import HeldOut, held_out
from attnviz.text import LANGUAGES, Sentence, SentenceError, foreign, read_sentence

FIRST = {
    "everyday_ko_en": "나는 모니터입니다.",
    "everyday_en_ko": "I am a monitor.",
    "dates_ko_en": "2026년 3월 9일 월요일",
}
"""The sentence that a corpus opens with, where it is not the first of its examples."""
SECOND = {"everyday_ko_en": "넌 누구니?", "everyday_en_ko": "Who are you?"}
"""One more to pick, before the corpus's own."""


def corpus(family: str = "seq2seq") -> str:
    """The corpus whose translators are shown; another one starts with its own example.

    A page without translators of the chosen corpus shows its first, and leaves the choice alone.
    """
    names = translations.corpora(family)
    chosen = state.linked(Shared.CORPUS, names[0])
    chosen = chosen if chosen in names else names[0]

    def changed() -> None:
        if st.session_state[Shared.CORPUS_PICKER] != chosen:  # a hidden widget reports once more
            state.link(Shared.CORPUS, st.session_state[Shared.CORPUS_PICKER], names[0])
            state.link(Shared.TEXT, "")

    st.session_state[Shared.CORPUS_PICKER] = chosen
    st.selectbox(
        "Sentences", names, key=Shared.CORPUS_PICKER, on_change=changed,
        format_func=lambda name: held_out(name).title,
    )  # fmt: skip
    if state.linked(Shared.CORPUS, names[0]) == chosen:
        state.publish(Shared.CORPUS, names[0])
    return chosen


def sentence(corpus: str) -> Sentence:
    """The box to type into, and examples to pick. What is no sentence leaves the last one."""
    known = held_out(corpus)
    chosen = _chosen(known)
    if st.session_state.get(Shared.TEXT_BOX) != chosen.text:
        st.session_state[Shared.TEXT_BOX] = chosen.text
    with (
        st.form("say", border=False),
        st.container(horizontal=True, vertical_alignment="bottom", gap="small", wrap=False),
    ):
        st.text_input(
            f"{LANGUAGES[known.source_language]} sentence",
            key=Shared.TEXT_BOX,
            persist_state="session",
        )
        st.form_submit_button("Translate", key=Shared.TEXT_SEND, on_click=_typed, args=(corpus,))
    with st.container(key="examples", horizontal=True, gap="small", wrap=False):
        own = [pair.source for pair in known.examples]
        offered = [opening(known), SECOND.get(corpus, own[0]), *own]
        for number, text in enumerate(dict.fromkeys(offered)):
            st.button(
                show.literal(text), key=f"example_{number}", type="tertiary",
                on_click=say, args=(text, corpus),
            )  # fmt: skip
    if problem := st.session_state.pop(Shared.TEXT_PROBLEM, ""):
        show.problem(problem)
    return chosen


def kind(kinds: Sequence[str], *, key: str) -> str:
    """One kind of translator; the first is the default."""
    state.among(key, list(kinds))
    return st.segmented_control(
        "Score", kinds, default=kinds[0], required=True, key=key, bind="query-params",
        format_func=KINDS.__getitem__,
    )  # fmt: skip


def _chosen(known: HeldOut) -> Sentence:
    """The sentence of the link or of the session, else the corpus's first."""
    if st.session_state.get(Shared.CORPUS, known.name) != known.name:
        return Sentence(opening(known))  # the session's sentence belongs to another corpus
    text = state.linked(Shared.TEXT)
    state.publish(Shared.TEXT)
    kept: Sentence | None = st.session_state.get(Shared.SENTENCE)
    if kept is None or kept.text != text:
        try:
            kept = read_sentence(text)
        except SentenceError:
            kept = Sentence(opening(known))
    warning = foreign(kept.text, known.source_language)
    return Sentence(kept.text, (*kept.notes, *warning))


def opening(known: HeldOut) -> str:
    """The sentence that a corpus opens with."""
    return FIRST.get(known.name) or known.examples[0].source


def _typed(corpus: str) -> None:
    say(st.session_state[Shared.TEXT_BOX], corpus)


def say(raw: str, corpus: str) -> None:
    """Make a text, of a corpus, the sentence of all pages of sentences and of their links."""
    try:
        read = read_sentence(raw)
    except SentenceError as error:
        st.session_state[Shared.TEXT_PROBLEM] = str(error)
        return
    st.session_state[Shared.SENTENCE] = read
    st.session_state[Shared.CORPUS] = corpus
    state.link(Shared.TEXT, read.text)
