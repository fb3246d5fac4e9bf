"""Many visitors of the ViT page at once, without browsers: what each browser would say and hear.

Each visitor opens the page, then moves the layer slider every so often and waits until the server
has run what hangs on it. They speak Streamlit's websocket protocol, which may change with it.
"""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass, field

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.Slider_pb2 import Slider

PATIENCE = 60  # seconds


@dataclass
class Outcome:
    """What all visitors met."""

    opened: list[float] = field(default_factory=list)  # seconds until the page was there
    changes: list[float] = field(default_factory=list)  # seconds from a change to its last message
    errors: list[str] = field(default_factory=list)


class Visitor:
    """One connection. The slider is found in what the server sends when the page opens."""

    def __init__(self, connection: websockets.ClientConnection, page: str, label: str) -> None:
        self.connection, self.page, self.label = connection, page, label
        self.slider: Slider | None = None
        self.fragment = ""
        self.trouble: list[str] = []

    async def open(self) -> float:
        return await self._rerun(BackMsg())

    async def change(self, value: float) -> float:
        assert self.slider is not None, f"no slider {self.label!r} on the page"
        message = BackMsg()
        message.rerun_script.fragment_id = self.fragment
        state = message.rerun_script.widget_states.widgets.add()
        state.id = self.slider.id
        state.double_array_value.data.append(value)
        return await self._rerun(message)

    async def _rerun(self, message: BackMsg) -> float:
        """Send it, and hear everything that the server answers; seconds that took."""
        message.rerun_script.page_name = self.page
        start = time.perf_counter()
        await self.connection.send(message.SerializeToString())
        async with asyncio.timeout(PATIENCE):
            while True:
                answer = ForwardMsg.FromString(await self.connection.recv())
                if answer.WhichOneof("type") == "script_finished":
                    if answer.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                        return time.perf_counter() - start
                elif answer.WhichOneof("type") == "delta":
                    self._notice(answer)

    def _notice(self, answer: ForwardMsg) -> None:
        element = answer.delta.new_element
        kind = element.WhichOneof("type")
        if kind == "slider" and element.slider.label == self.label:
            self.slider, self.fragment = element.slider, answer.delta.fragment_id
        elif kind in ("exception", "alert"):
            self.trouble.append(str(getattr(element, kind))[:200])


async def crowd(url: str, count: int, pause: float, seconds: float) -> Outcome:
    """`count` visitors arrive over one pause and change the slider every pause for some seconds."""
    outcome = Outcome()
    address = url.replace("http", "ws", 1) + "/_stcore/stream"

    async def stay(number: int) -> None:
        chance = random.Random(number)
        await asyncio.sleep(pause * number / count)
        try:
            async with websockets.connect(
                address, subprotocols=[websockets.Subprotocol("streamlit")], max_size=None
            ) as connection:
                visitor = Visitor(connection, "vit", "Layer")
                outcome.opened.append(await visitor.open())
                assert visitor.slider is not None
                end = time.perf_counter() + seconds
                value = visitor.slider.max
                while time.perf_counter() < end:
                    start = time.perf_counter()
                    values = range(int(visitor.slider.min), int(visitor.slider.max) + 1)
                    value = chance.choice([other for other in values if other != value])
                    outcome.changes.append(await visitor.change(value))
                    await asyncio.sleep(max(0.0, pause - (time.perf_counter() - start)))
                outcome.errors += visitor.trouble
        except (OSError, TimeoutError, AssertionError, websockets.WebSocketException) as error:
            outcome.errors.append(f"visitor {number}: {type(error).__name__} {error}")

    await asyncio.gather(*(stay(number) for number in range(count)))
    return outcome
