import { field, float, number, type Pieces } from './protobuf.ts';

// Writes the subset of the ONNX format that a small graph needs.

/** A constant tensor in the model. */
export interface OnnxTensor {
  shape: readonly number[];
  values: Float32Array | BigInt64Array | Uint8Array;
}

export interface OnnxNode {
  type: string;
  inputs: readonly string[];
  outputs: readonly string[];
  /** Integers, except `floats`. */
  attributes?: Record<string, number | readonly number[]>;
  floats?: Record<string, number>;
}

export interface OnnxInterface {
  /** Shapes. A name is a length that is only known at run time. */
  inputs: Record<string, { type: 'float' | 'int64'; shape: readonly (number | string)[] }>;
  outputs: Record<string, readonly (number | string)[]>;
}

export interface OnnxGraph extends OnnxInterface {
  nodes: readonly OnnxNode[];
  constants: ReadonlyMap<string, OnnxTensor>;
}

const IR_VERSION = 8;
const OPSET = 17;
const FLOAT = 1;
const UINT8 = 2;
const INT64 = 7;
/** Attribute types. */
const [A_FLOAT, A_INT, A_INTS] = [1, 2, 7];

/** Writes a model file. */
export function writeOnnx({ nodes, constants, inputs, outputs }: OnnxGraph): Buffer {
  const graph = [
    ...nodes.flatMap((node) => field(1, nodeOf(node))),
    ...field(2, 'graph'),
    ...[...constants].flatMap(([name, tensor]) => field(5, tensorOf(name, tensor))),
    ...endsOf({ inputs, outputs }),
  ];
  return Buffer.concat([number(1, IR_VERSION), ...field(7, graph), ...field(8, [number(2, OPSET)])]);
}

export function nodeOf({ type, inputs, outputs, attributes = {}, floats = {} }: OnnxNode): Pieces {
  const whole = Object.entries(attributes).map(([name, value]) =>
    typeof value === 'number'
      ? [...field(1, name), number(3, value), number(20, A_INT)]
      : [...field(1, name), ...value.map((one) => number(8, one)), number(20, A_INTS)],
  );
  const broken = Object.entries(floats).map(([name, value]) => [
    ...field(1, name),
    float(2, value),
    number(20, A_FLOAT),
  ]);
  return [
    ...inputs.flatMap((name) => field(1, name)),
    ...outputs.flatMap((name) => field(2, name)),
    ...field(4, type),
    ...[...whole, ...broken].flatMap((attribute) => field(5, attribute)),
  ];
}

export function tensorOf(name: string, { shape, values }: OnnxTensor): Pieces {
  const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  const type = values instanceof Float32Array ? FLOAT : values instanceof Uint8Array ? UINT8 : INT64;
  return [...shape.map((length) => number(1, length)), number(2, type), ...field(8, name), ...field(9, [bytes])];
}

export function endsOf({ inputs, outputs }: OnnxInterface): Pieces {
  return [
    ...Object.entries(inputs).flatMap(([name, { type, shape }]) =>
      field(11, valueInfoOf(name, type === 'float' ? FLOAT : INT64, shape)),
    ),
    ...Object.entries(outputs).flatMap(([name, shape]) => field(12, valueInfoOf(name, FLOAT, shape))),
  ];
}

function valueInfoOf(name: string, type: number, shape: readonly (number | string)[]): Pieces {
  const dimensions = shape.flatMap((length) =>
    field(1, typeof length === 'number' ? [number(1, length)] : field(2, length)),
  );
  const tensor = [number(1, type), ...field(2, dimensions)];
  return [...field(1, name), ...field(2, field(1, tensor))];
}
