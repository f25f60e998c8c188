export interface Example {
  values: readonly number[];
  isPositive: boolean;
  weight: number;
}

const ROUNDS = 25;

/**
 * Fits a logistic regression by Newton's method. Both classes get the same total weight; values are scaled, so that
 * `penalty` shrinks all weights alike.
 *
 * @returns the bias and the weights of the unscaled values
 */
export function fitWeights(examples: readonly Example[], penalty: number): number[] {
  const count = examples[0]?.values.length ?? 0;
  const total = (isPositive: boolean) =>
    examples.reduce((sum, one) => sum + (one.isPositive === isPositive ? one.weight : 0), 0);
  const balance = total(true) / total(false);
  const weights = examples.map(({ weight, isPositive }) => (isPositive ? weight : weight * balance));
  const sum = weights.reduce((all, weight) => all + weight, 0);
  const columns = Array.from({ length: count }, (_, at) => examples.map(({ values }) => values[at] ?? 0));
  const means = columns.map((column) => column.reduce((all, value, at) => all + value * weights[at]!, 0) / sum);
  const scales = columns.map(
    (column, at) =>
      Math.sqrt(column.reduce((all, value, row) => all + weights[row]! * (value - means[at]!) ** 2, 0) / sum) || 1,
  );
  const rows = examples.map(({ values }) => [1, ...values.map((value, at) => (value - means[at]!) / scales[at]!)]);

  let fitted = new Array<number>(count + 1).fill(0);
  for (let round = 0; round < ROUNDS; round += 1) {
    const gradient = fitted.map((value, at) => (at === 0 ? 0 : -penalty * value));
    const curvature = fitted.map((_, at) => fitted.map((_, other) => (at === other ? (at === 0 ? 1e-6 : penalty) : 0)));
    for (const [index, row] of rows.entries()) {
      const logOdds = row.reduce((all, value, at) => all + value * fitted[at]!, 0);
      const probability = 1 / (1 + Math.exp(-logOdds));
      const error = weights[index]! * ((examples[index]!.isPositive ? 1 : 0) - probability);
      const spread = weights[index]! * probability * (1 - probability);
      for (let at = 0; at <= count; at += 1) {
        gradient[at]! += error * row[at]!;
        for (let other = 0; other <= at; other += 1) curvature[at]![other]! += spread * row[at]! * row[other]!;
      }
    }
    for (let at = 0; at <= count; at += 1)
      for (let other = at + 1; other <= count; other += 1) curvature[at]![other] = curvature[other]![at]!;
    const step = solve(curvature, gradient);
    fitted = fitted.map((value, at) => value + step[at]!);
  }
  const unscaled = fitted.slice(1).map((value, at) => value / scales[at]!);
  const bias = fitted[0]! - unscaled.reduce((all, weight, at) => all + weight * means[at]!, 0);
  return [bias, ...unscaled];
}

/** Solves linear equations by elimination. */
function solve(matrix: number[][], right: number[]): number[] {
  const rows = matrix.map((row, at) => [...row, right[at]!]);
  for (let at = 0; at < rows.length; at += 1) {
    const pivot = rows.findIndex(
      (row, index) =>
        index >= at && Math.abs(row[at]!) === Math.max(...rows.slice(at).map((one) => Math.abs(one[at]!))),
    );
    [rows[at], rows[pivot]] = [rows[pivot]!, rows[at]!];
    for (let below = at + 1; below < rows.length; below += 1) {
      const factor = rows[below]![at]! / rows[at]![at]!;
      for (let column = at; column <= rows.length; column += 1) rows[below]![column]! -= factor * rows[at]![column]!;
    }
  }
  const solution = new Array<number>(rows.length).fill(0);
  for (let at = rows.length - 1; at >= 0; at -= 1) {
    let rest = rows[at]![rows.length]!;
    for (let column = at + 1; column < rows.length; column += 1) rest -= rows[at]![column]! * solution[column]!;
    solution[at] = rest / rows[at]![at]!;
  }
  return solution;
}
