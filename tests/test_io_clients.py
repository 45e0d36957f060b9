"""MDAnalysis and vtk read results, finished or not."""

from __future__ import annotations

from pathlib import Path

import io_scene as scene
import numpy as np
import pytest
from mpi4py import MPI

STEPS = [0, 10, 20, 30, 40, 50]


@pytest.fixture(params=["finished", "index"])
def result(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    out = tmp_path / "out.h5"
    scene.run(MPI.COMM_SELF, out, STEPS[-1], finish=request.param == "finished")
    return out


def test_mdanalysis_reads_the_trajectory(result: Path) -> None:
    mda = pytest.importorskip("MDAnalysis")
    universe = mda.Universe.empty(scene.COUNT, trajectory=True, velocities=True)
    universe.load_new(str(result), format="H5MD", convert_units=False)
    assert len(universe.trajectory) == len(STEPS)
    for step, frame in zip(STEPS, universe.trajectory, strict=True):
        expected = scene.fields(step)
        assert np.array_equal(frame.positions, expected["position"].astype(np.float32))
        assert np.array_equal(frame.velocities, expected["velocity"].astype(np.float32))
        assert frame.time == 0.1 * step
        assert frame.dimensions.tolist() == [1.0, 1.0, 2.0, 90.0, 90.0, 90.0]
        assert frame.data["energy/kinetic"] == 1.0 / (step + 1)


def test_vtk_reads_a_time_series_of_points(result: Path) -> None:
    pytest.importorskip("vtkmodules")
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOHDF import vtkHDFReader

    reader = vtkHDFReader()
    assert reader.CanReadFile(str(result))
    reader.SetFileName(str(result))
    reader.UpdateInformation()
    assert reader.GetNumberOfSteps() == len(STEPS)
    for k, step in enumerate(STEPS):
        reader.SetStep(k)
        reader.Update()
        points = reader.GetOutputDataObject(0)
        assert points.GetClassName() == "vtkPolyData"
        assert points.GetNumberOfVerts() == scene.COUNT
        assert [points.GetCell(c).GetPointId(0) for c in (0, scene.COUNT - 1)] == [0, scene.COUNT - 1]
        expected = scene.fields(step)
        assert np.array_equal(vtk_to_numpy(points.GetPoints().GetData()), expected.pop("position"))
        data = points.GetPointData()
        expected |= {"id": np.arange(scene.COUNT), "species": np.arange(scene.COUNT) % 2}
        for name, values in expected.items():
            assert np.array_equal(vtk_to_numpy(data.GetArray(name)), values)
    times = reader.GetOutputInformation(0).Get(_time_steps())
    assert np.allclose(times, [0.1 * s for s in STEPS], rtol=1e-15)


def _time_steps() -> object:
    from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline

    return vtkStreamingDemandDrivenPipeline.TIME_STEPS()
