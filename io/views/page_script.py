"""The page on which a scene turns: its script draws the grains as instances of their shapes (WebGL 2)."""

from __future__ import annotations

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>@TITLE@</title>
<style>
html, body { margin: 0; height: 100%; overflow: hidden; background: #fff; font: 15px sans-serif; color: #222; }
canvas { width: 100%; height: 100%; display: block; touch-action: none; cursor: grab; }
#legend { position: absolute; left: 12px; top: 10px; line-height: 1.7; pointer-events: none; }
#help { position: absolute; right: 12px; bottom: 8px; color: #999; font-size: 12px; pointer-events: none; }
.bar { display: inline-block; width: 160px; height: 12px; }
.dot { display: inline-block; width: 12px; height: 12px; border-radius: 6px; }
</style>
</head>
<body>
<canvas id="scene"></canvas>
<div id="legend"><b>@TITLE@</b><br>@LEGEND@</div>
<div id="help">drag to turn, with shift or the right button to move; wheel to zoom; double click to start again</div>
<script>
"use strict";
const scene = @SCENE@;
const canvas = document.getElementById("scene");
const gl = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
if (!gl) document.getElementById("help").textContent = "this browser has no WebGL 2";

const numbers = (text, Kind) => new Kind(Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer);
const add = (a, b) => a.map((v, k) => v + b[k]);
const times = (a, s) => a.map(v => v * s);
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = a => times(a, 1 / Math.hypot(...a));

const VERTEX = `#version 300 es
uniform mat4 view;
in vec3 point, normal, centre, colour;
in vec4 quaternion;
in float size;
out vec3 facing, tint, place;
vec3 turned(vec3 v) {
  vec3 t = 2.0 * cross(quaternion.yzw, v);
  return v + quaternion.x * t + cross(quaternion.yzw, t);
}
void main() {
  place = turned(point) * size + centre;
  facing = turned(normal);
  tint = colour;
  gl_Position = view * vec4(place, 1.0);
}`;
const FRAGMENT = `#version 300 es
precision highp float;
uniform vec3 eye, above;
uniform float opacity, lit;
in vec3 facing, tint, place;
out vec4 seen;
void main() {
  vec3 toward = normalize(eye - place);
  vec3 n = normalize(facing);
  if (dot(n, toward) < 0.0) n = -n;
  vec3 light = normalize(toward + 0.7 * above);
  float shade = 0.3 + 0.7 * max(dot(n, light), 0.0);
  float shine = 0.25 * pow(max(dot(n, normalize(light + toward)), 0.0), 40.0);
  seen = vec4(mix(tint, tint * shade + shine, lit), opacity);
}`;

function shader(kind, text) {
  const made = gl.createShader(kind);
  gl.shaderSource(made, text);
  gl.compileShader(made);
  if (!gl.getShaderParameter(made, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(made));
  return made;
}
const program = gl.createProgram();
gl.attachShader(program, shader(gl.VERTEX_SHADER, VERTEX));
gl.attachShader(program, shader(gl.FRAGMENT_SHADER, FRAGMENT));
gl.linkProgram(program);
gl.useProgram(program);
const at = Object.fromEntries(["point", "normal", "centre", "quaternion", "size", "colour"].map(name => [name, gl.getAttribLocation(program, name)]));
const to = Object.fromEntries(["view", "eye", "above", "opacity", "lit"].map(name => [name, gl.getUniformLocation(program, name)]));

function buffer(values, target) {
  gl.bindBuffer(target, gl.createBuffer());
  gl.bufferData(target, values, gl.STATIC_DRAW);
}
function attribute(place, width, stride, offset, step) {
  if (place < 0) return;
  gl.enableVertexAttribArray(place);
  gl.vertexAttribPointer(place, width, gl.FLOAT, false, 4 * stride, 4 * offset);
  gl.vertexAttribDivisor(place, step);
}
function shape(one) {
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  buffer(numbers(one.points, Float32Array), gl.ARRAY_BUFFER);
  attribute(at.point, 3, 3, 0, 0);
  if (one.normals) {
    buffer(numbers(one.normals, Float32Array), gl.ARRAY_BUFFER);
    attribute(at.normal, 3, 3, 0, 0);
  }
  const index = numbers(one.triangles || one.lines, Uint32Array);
  buffer(index, gl.ELEMENT_ARRAY_BUFFER);
  const made = { array, count: index.length, mode: one.triangles ? gl.TRIANGLES : gl.LINES, lit: one.triangles ? 1 : 0, instances: 1 };
  if (one.instances) {
    const instances = numbers(one.instances, Float32Array);
    buffer(instances, gl.ARRAY_BUFFER);
    attribute(at.centre, 3, 11, 0, 1);
    attribute(at.quaternion, 4, 11, 3, 1);
    attribute(at.size, 1, 11, 7, 1);
    attribute(at.colour, 3, 11, 8, 1);
    return { ...made, instances: instances.length / 11, opacity: scene.opacity };
  }
  if (one.colours) {
    buffer(numbers(one.colours, Float32Array), gl.ARRAY_BUFFER);
    attribute(at.colour, 3, 3, 0, 0);
  }
  return { ...made, opacity: one.opacity ?? 1, colour: one.colours ? null : one.colour };
}
// what is opaque first, so that it is seen through the rest
const shapes = [...scene.grains, ...scene.solids].map(shape).sort((a, b) => b.opacity - a.opacity);

let toward, up, distance, target;
function start() {
  toward = unit(scene.toward);
  up = scene.up;
  target = [0, 0, 0];
  distance = fitting();
  draw();
}
function fitting() {
  const [right, above] = axes(), slope = Math.tan(scene.angle * Math.PI / 360), aspect = canvas.clientWidth / canvas.clientHeight;
  let most = 0;
  for (let k = 0; k < 8; ++k) {
    const p = scene.half.map((v, c) => k >> c & 1 ? v : -v), w = dot(p, toward);
    most = Math.max(most, w + Math.abs(dot(p, right)) / (slope * aspect), w + Math.abs(dot(p, above)) / slope);
  }
  return 1.08 * most;
}
function axes() {
  const side = cross(up, toward);
  const right = Math.hypot(...side) > 1e-6 ? unit(side) : unit(cross([up[1], up[2], up[0]], toward));
  return [right, cross(toward, right)];
}
function draw() {
  canvas.width = canvas.clientWidth * devicePixelRatio;
  canvas.height = canvas.clientHeight * devicePixelRatio;
  gl.viewport(0, 0, canvas.width, canvas.height);
  gl.clearColor(1, 1, 1, 1);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  gl.enable(gl.DEPTH_TEST);
  gl.enable(gl.BLEND);
  gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  const aspect = canvas.width / canvas.height;
  const eye = add(target, times(toward, distance));
  const [right, above] = axes();
  const f = 1 / Math.tan(scene.angle * Math.PI / 360), near = Math.max(distance - 2, distance / 200), far = distance + 2;
  const sides = [[right, f / aspect], [above, f]].map(([v, s]) => [...times(v, s), -s * dot(v, eye)]);
  const depth = [...times(toward, -1), dot(toward, eye)];
  const scale = (far + near) / (far - near), move = -2 * far * near / (far - near);
  const rows = [...sides, [...times(depth.slice(0, 3), scale), scale * depth[3] + move], depth];
  gl.uniformMatrix4fv(to.view, true, rows.flat());
  gl.uniform3fv(to.eye, eye);
  gl.uniform3fv(to.above, above);
  for (const one of shapes) {
    gl.bindVertexArray(one.array);
    gl.uniform1f(to.opacity, one.opacity);
    gl.uniform1f(to.lit, one.lit);
    if (one.colour) gl.vertexAttrib3f(at.colour, ...one.colour);
    gl.vertexAttrib4f(at.quaternion, 1, 0, 0, 0);
    gl.vertexAttrib3f(at.centre, 0, 0, 0);
    gl.vertexAttrib1f(at.size, 1);
    gl.depthMask(one.opacity === 1);
    gl.drawElementsInstanced(one.mode, one.count, gl.UNSIGNED_INT, 0, one.instances);
  }
  gl.depthMask(true);
}
function turn(dx, dy) {
  const spin = (v, axis, a) => add(add(times(v, Math.cos(a)), times(cross(axis, v), Math.sin(a))), times(axis, dot(axis, v) * (1 - Math.cos(a))));
  toward = spin(toward, up, -dx);
  const next = spin(toward, axes()[0], -dy);
  if (Math.abs(dot(next, up)) < 0.9995) toward = unit(next);
}
const fingers = new Map();
canvas.addEventListener("pointerdown", e => { fingers.set(e.pointerId, e); canvas.setPointerCapture(e.pointerId); });
canvas.addEventListener("pointerup", e => fingers.delete(e.pointerId));
canvas.addEventListener("pointercancel", e => fingers.delete(e.pointerId));
canvas.addEventListener("contextmenu", e => e.preventDefault());
canvas.addEventListener("pointermove", e => {
  const last = fingers.get(e.pointerId);
  if (!last) return;
  const dx = e.clientX - last.clientX, dy = e.clientY - last.clientY;
  if (fingers.size === 2) {
    const other = [...fingers.values()].find(f => f.pointerId !== e.pointerId);
    const apart = f => Math.hypot(f.clientX - other.clientX, f.clientY - other.clientY);
    distance *= apart(last) / apart(e);
  } else if (e.shiftKey || e.buttons === 2) {
    const [right, above] = axes(), step = distance * Math.tan(scene.angle * Math.PI / 360) * 2 / canvas.clientHeight;
    target = add(target, add(times(right, -dx * step), times(above, dy * step)));
  } else turn(dx * 0.008, dy * 0.008);
  fingers.set(e.pointerId, e);
  draw();
});
canvas.addEventListener("wheel", e => { e.preventDefault(); distance *= Math.exp(e.deltaY * 0.001); draw(); }, { passive: false });
canvas.addEventListener("dblclick", start);
addEventListener("resize", draw);
start();
// for tests, and to set a view by hand: #turn=AZIMUTH,ELEVATION in radians
const asked = location.hash.match(/^#turn=([-0-9.]+),([-0-9.]+)$/);
if (asked) { turn(-asked[1], -asked[2]); draw(); }
</script>
</body>
</html>
"""
