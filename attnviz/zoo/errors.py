"""What can go wrong with weights. Every message is one plain sentence for the person who asked."""

from __future__ import annotations


class ZooError(Exception):
    """A model's weights cannot be had; the message says why and what to do."""


class UnknownModel(ZooError, LookupError):
    """There is no model of that name; near names are listed."""


class HubUnreachable(ZooError):
    """The hub does not answer, or something else answers in its place."""


class Cancelled(ZooError):
    """The caller stopped a download; what had arrived is kept for the next try."""
