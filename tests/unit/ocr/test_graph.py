from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from service.ocr.runtimes.graph import NEGLIGIBLE, read_characters, without_subnormals
from service.ocr.runtimes.onnx import OnnxRuntime
from service.ocr.weights import find_bundle

WEIGHTS = np.array([1.0, -0.5, 0.0, 1e-39, -1e-45, 2e-31, 1e-20], np.float32)


@pytest.fixture
def network(tmp_path: Path) -> Path:
    graph = helper.make_graph(
        [helper.make_node("Mul", ["x", "weights"], ["y"])],
        "scaling",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [7])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [7])],
        [
            numpy_helper.from_array(WEIGHTS, "weights"),
            numpy_helper.from_array(np.array([3], np.int64), "shape"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    helper.set_model_props(model, {"character": "a\nb\n "})
    onnx.save(model, tmp_path / "network.onnx")
    return tmp_path / "network.onnx"


def weights_of(model: onnx.ModelProto) -> dict[str, np.ndarray]:
    return {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}


def test_weights_that_cannot_matter_become_zero_and_all_others_stay(network: Path) -> None:
    kept = weights_of(onnx.load_from_string(without_subnormals(network)))
    assert kept["weights"].tolist() == np.array([1.0, -0.5, 0, 0, 0, 0, 1e-20], np.float32).tolist()
    assert kept["shape"].tolist() == [3]


def test_characters_are_read_from_the_metadata(network: Path) -> None:
    assert read_characters(network) == ["a", "b", " "]


def test_the_default_detector_has_subnormal_weights_and_is_run_without(
    weights_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (path,) = find_bundle("ppocr-v6-small").paths("detection", weights_dir)

    def negligible(model: onnx.ModelProto) -> int:
        floats = (values for values in weights_of(model).values() if values.dtype == np.float32)
        return sum(int(((values != 0) & (np.abs(values) < NEGLIGIBLE)).sum()) for values in floats)

    assert negligible(onnx.load(path)) > 200_000
    runtime = OnnxRuntime("cpu", 1, demanded=False)
    given = []

    class Package:
        def __getattr__(self, name: str) -> object:
            return getattr(onnxruntime, name)

        def InferenceSession(self, model: bytes, *rest: object, **options: object) -> object:  # noqa: N802
            given.append(model)
            return onnxruntime.InferenceSession(model, *rest, **options)

    monkeypatch.setattr(runtime, "_package", Package())
    runtime.load([path])
    assert negligible(onnx.load_from_string(given[0])) == 0
