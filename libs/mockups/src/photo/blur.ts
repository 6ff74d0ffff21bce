/** Returns a plane of `side` x `side` values after a Gaussian filter. Edges are repeated. */
export function blurred(plane: Float32Array, side: number, sigma: number): Float32Array {
  const reach = Math.ceil(3 * sigma);
  const weights = Array.from({ length: 2 * reach + 1 }, (_, i) => Math.exp(-((i - reach) ** 2) / (2 * sigma * sigma)));
  const sum = weights.reduce((a, b) => a + b);
  const kernel = Float32Array.from(weights, (weight) => weight / sum);
  return transposedFilter(transposedFilter(plane, side, kernel), side, kernel);
}

/** Filters each row and transposes the result, so that both passes read along rows. */
function transposedFilter(plane: Float32Array, side: number, kernel: Float32Array): Float32Array {
  const reach = kernel.length >> 1;
  const result = new Float32Array(plane.length);
  const line = new Float32Array(side + 2 * reach);
  for (let y = 0; y < side; y++) {
    const row = plane.subarray(y * side, (y + 1) * side);
    line.fill(row[0]!, 0, reach);
    line.set(row, reach);
    line.fill(row[side - 1]!, reach + side);
    for (let x = 0; x < side; x++) {
      let value = 0;
      for (let k = 0; k < kernel.length; k++) value += kernel[k]! * line[x + k]!;
      result[x * side + y] = value;
    }
  }
  return result;
}
