"""A Ray cluster to work on: found or started, with its logs kept off the screen and its errors in one sentence."""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import socket
import threading
from collections.abc import Iterator
from typing import Any

from counterplay.core.errors import CounterplayError

STORE = 128 << 20
"""The object store of a simulated node, in bytes."""
START_ATTEMPTS = 3
"""How often starting a simulated node is tried: a busy machine may be too slow."""
REACHABLE, ANSWERS = 5.0, 20.0
"""Seconds within which a cluster's address must be reachable, and Ray must answer there."""
ALIVE = "/ray.rpc.NodeInfoGcsService/GetClusterId"
"""A question that every Ray cluster answers."""
SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_DASHBOARD_STARTUP_TIMEOUT_S": "300",  # a busy machine is slow
    "RAY_worker_lease_timeout_milliseconds": "10000",  # with 500, a core waits 0.1 s after each longer unit
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_worker_niceness": "0",  # with 15, workers of a simulated node starve beside anything else that runs
}


class Cluster:
    """A connection to a cluster. A cluster started for it ends with it."""

    def __init__(self, address: str) -> None:
        ray = require_ray()
        self.address, self.own = address, None
        self.was_open = bool(ray.is_initialized())
        if self.was_open:
            require_same(address, str(ray.get_runtime_context().gcs_address))
            return
        with told():
            hush(ray)
            if address.startswith("local:"):
                self.own = simulated(*map(int, address[len("local:") :].split("x")))
                address = self.own.address
            else:
                if address == "auto":  # the last recorded address may be that of a cluster that is gone
                    address = ray._private.services.get_ray_address_from_environment(address, None)
                require_answer(address)
            try:
                ray.init(address=address, log_to_driver=False, logging_level="ERROR", configure_logging=True)
            except BaseException:
                self.close()
                raise

    @property
    def cores(self) -> int:
        """The cores of all present nodes."""
        return int(require_ray().cluster_resources().get("CPU", 0))

    @property
    def nodes(self) -> int:
        """The number of present nodes."""
        return sum(bool(node["Alive"]) for node in require_ray().nodes())

    def store(self) -> tuple[int, int] | None:
        """The bytes that the object stores of all nodes hold, and those written to disk so far; None if Ray does not
        say."""
        try:
            internal: Any = importlib.import_module("ray._private.internal_api")
            state = internal.get_state_from_address(None)
            stats = internal.get_memory_info_reply(state, timeout_seconds=REACHABLE).store_stats
        except Exception:  # a node may have just died; no job ends because of a figure
            return None
        return int(stats.object_store_bytes_used), int(stats.spilled_bytes_total)

    @property
    def logs(self) -> str:
        """Where Ray's logs are."""
        node = require_ray()._private.worker._global_node
        return str(node.get_logs_dir_path()) if node is not None else ""

    def close(self) -> None:
        """Leave the cluster."""
        ray = require_ray()
        if not self.was_open and ray.is_initialized():
            ray.shutdown()
        if self.own is not None:
            self.own.shutdown()
            self.own = None


def require_ray() -> Any:
    """Ray, imported on first use; it reads its settings when imported."""
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ImportError:
        raise CounterplayError("--cluster needs Ray: pip install 'counterplay[scale]'") from None
    return ray


def hush(ray: Any) -> None:
    """Keep Ray quiet: it prints raylets' complaints to stdout whatever its settings, and its own notes before it is
    connected; everything that matters is also in its log files."""
    logging.getLogger("ray").setLevel(logging.CRITICAL)
    if hasattr(ray._private.worker, "print_to_stdstream"):
        ray._private.worker.print_to_stdstream = lambda *_, **__: None


def simulated(nodes: int, cores: int) -> Any:
    """A cluster on this machine, with a raylet for each node."""
    from ray.cluster_utils import Cluster as SimulatedCluster

    hush(require_ray())
    arguments = {"num_cpus": cores, "object_store_memory": STORE, "include_log_monitor": False}
    made: Any = SimulatedCluster()
    try:
        for number in range(nodes):
            for attempts_left in reversed(range(START_ATTEMPTS)):
                try:
                    with unhandled_signals():
                        made.add_node(**arguments, **({} if number else {"include_dashboard": False}))
                    break
                except Exception as wrong:  # Ray raises a plain Exception
                    if not attempts_left or "timed out" not in str(wrong):
                        raise CounterplayError(f"a simulated node does not start: {wrong}") from None
    except BaseException:
        made.shutdown()
        raise
    return made


@contextlib.contextmanager
def unhandled_signals() -> Iterator[None]:
    """Ray's nodes want to handle SIGTERM, which Python allows only in the main thread. In other threads they do
    without: the kernel ends them with this process, however it ends."""
    utils = require_ray()._private.utils
    before = utils.set_sigterm_handler
    if threading.current_thread() is not threading.main_thread():
        utils.set_sigterm_handler = lambda _: None
    try:
        yield
    finally:
        utils.set_sigterm_handler = before


def require_same(address: str, joined: str) -> None:
    """Refuse another cluster than the one that this process has joined."""
    if address != "auto" and not address.startswith("local:") and not is_same(address, joined):
        raise CounterplayError(
            f"this process has joined the Ray cluster at {joined}, not the one at {address}; `ray.shutdown()` leaves it"
        )


def is_same(address: str, joined: str) -> bool:
    """Whether two addresses are those of one cluster: this machine has several names."""
    (host, _, port), (other, _, other_port) = address.rpartition(":"), joined.rpartition(":")
    if port != other_port:
        return False
    try:
        found = socket.gethostbyname(host)
        return found.startswith("127.") or found == socket.gethostbyname(other)
    except OSError:
        return host == other


def require_answer(address: str) -> None:
    """Refuse at once an address at which nobody listens: Ray would try for a long time."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=REACHABLE).close()
    except (OSError, ValueError, OverflowError) as wrong:
        raise CounterplayError(
            f"no Ray cluster answers at {address} ({wrong}); `ray start --head --port 6379` starts one"
        ) from None
    if not is_ray(address):
        raise CounterplayError(
            f"something listens at {address}, but not a working Ray cluster: the address is the one that "
            "`ray start --head` prints"
        )


def is_ray(address: str) -> bool:
    """Whether Ray answers at an address where something listens; if it does not, Ray's client would try forever and
    print each failure.
    """
    try:
        grpc: Any = importlib.import_module("grpc")
        from ray._private.grpc_utils import init_grpc_channel
    except ImportError:
        return True  # it cannot be asked
    silent = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED)
    with init_grpc_channel(address) as channel:
        try:
            channel.unary_unary(ALIVE)(b"", timeout=ANSWERS)
        except grpc.RpcError as wrong:
            return wrong.code() not in silent  # what else it says is for Ray to judge
    return True


@contextlib.contextmanager
def told() -> Iterator[None]:
    """Turn what Ray raises on connecting into one sentence."""
    try:
        yield
    except CounterplayError:
        raise
    except ConnectionError:
        raise CounterplayError(
            "no Ray cluster runs on this machine; `ray start --head` starts one, and --cluster local:2x1 one to try"
        ) from None
    except (RuntimeError, ValueError, OSError) as wrong:
        text = " ".join(str(wrong).split())
        if "ersion mismatch" in text:
            raise CounterplayError(
                f"the cluster has a different Ray or Python than this machine: {text[:300]}"
            ) from None
        raise CounterplayError(f"cannot connect to Ray: {text[:300]}") from None
