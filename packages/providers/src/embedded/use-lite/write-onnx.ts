// As much of the ONNX format as a small graph needs: protocol buffers, written by hand.

/** A tensor that is part of the model; whole numbers where its values are bigint. */
export interface OnnxTensor {
  shape: readonly number[];
  values: Float32Array | BigInt64Array;
}

export interface OnnxNode {
  type: string;
  inputs: readonly string[];
  outputs: readonly string[];
  /** Whole numbers, but for those of `floats`. */
  attributes?: Record<string, number | readonly number[]>;
  floats?: Record<string, number>;
}

export interface OnnxGraph {
  nodes: readonly OnnxNode[];
  constants: ReadonlyMap<string, OnnxTensor>;
  /** Their shapes; a word stands for a length that is known when it runs. */
  inputs: Record<string, { type: 'float' | 'int64'; shape: readonly (number | string)[] }>;
  outputs: Record<string, readonly (number | string)[]>;
}

const IR_VERSION = 8;
const OPSET = 17;
const FLOAT = 1;
const INT64 = 7;
/** Kinds of attributes. */
const [A_FLOAT, A_INT, A_INTS] = [1, 2, 7];

/** Pieces that follow each other: weights are large, so they are joined once. */
type Pieces = Buffer[];

/** The bytes of a model file. */
export function writeOnnx({ nodes, constants, inputs, outputs }: OnnxGraph): Buffer {
  const graph = [
    ...nodes.flatMap((node) => field(1, nodeOf(node))),
    ...field(2, 'graph'),
    ...[...constants].flatMap(([name, tensor]) => field(5, tensorOf(name, tensor))),
    ...Object.entries(inputs).flatMap(([name, { type, shape }]) =>
      field(11, valueInfoOf(name, type === 'float' ? FLOAT : INT64, shape)),
    ),
    ...Object.entries(outputs).flatMap(([name, shape]) => field(12, valueInfoOf(name, FLOAT, shape))),
  ];
  return Buffer.concat([number(1, IR_VERSION), ...field(7, graph), ...field(8, [number(2, OPSET)])]);
}

function nodeOf({ type, inputs, outputs, attributes = {}, floats = {} }: OnnxNode): Pieces {
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

function tensorOf(name: string, { shape, values }: OnnxTensor): Pieces {
  const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  const type = values instanceof Float32Array ? FLOAT : INT64;
  return [...shape.map((length) => number(1, length)), number(2, type), ...field(8, name), ...field(9, [bytes])];
}

function valueInfoOf(name: string, type: number, shape: readonly (number | string)[]): Pieces {
  const dimensions = shape.flatMap((length) =>
    field(1, typeof length === 'number' ? [number(1, length)] : field(2, length)),
  );
  const tensor = [number(1, type), ...field(2, dimensions)];
  return [...field(1, name), ...field(2, field(1, tensor))];
}

/** A field of a length of its own: bytes, text, a message. */
function field(id: number, content: Pieces | string): Pieces {
  const pieces = typeof content === 'string' ? [Buffer.from(content)] : content;
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return [varint((id << 3) | 2), varint(length), ...pieces];
}

function number(id: number, value: number): Buffer {
  return Buffer.concat([varint(id << 3), varint(value)]);
}

function float(id: number, value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return Buffer.concat([varint((id << 3) | 5), bytes]);
}

/** Seven bits a byte, the lowest first; negative ones as 64 bits. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = BigInt.asUintN(64, BigInt(value));
  do {
    bytes.push(Number(left & 0x7fn) | (left > 0x7fn ? 0x80 : 0));
    left >>= 7n;
  } while (left > 0n);
  return Buffer.from(bytes);
}
