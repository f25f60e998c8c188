import { OnnxModel, type ReadNode, type ReadTensor } from '../onnx/onnx-model.ts';
import type { OnnxNode } from '../onnx/write-onnx.ts';

const [FLOAT, UINT8] = [1, 2];

/**
 * Convolutions with more filters stay in integers: they process few samples, and floating-point weights would take
 * four times the memory.
 */
const MAX_FILTERS = 256;

/** A constant with the position of the height in the shape of audio. */
const HEIGHT_AT = 'chorus_height_at';

/** Attribute values for a height of one. */
const HEIGHT_DEFAULTS: Readonly<Record<string, number>> = { kernel_shape: 1, dilations: 1, strides: 1, pads: 0 };

/**
 * Rewrites convolutions into forms that ONNX Runtime computes fast. Its fast code only handles images, and 8-bit audio
 * takes most of the time of speaking. Audio becomes an image that is one sample high, and the largest convolutions use
 * floating-point numbers.
 *
 * @param file An ONNX model whose audio is quantized at run time.
 * @throws Error if it is quantized differently
 */
export function optimizeConvolutions(file: Buffer): Buffer {
  const model = new OnnxModel(file);
  const graph = new Neighbors(model.nodes);
  model.setConstant(HEIGHT_AT, { shape: [1], values: BigInt64Array.of(2n) });
  const replaced = new Map<ReadNode, OnnxNode[]>();
  for (const node of model.nodes) {
    if (node.type !== 'ConvInteger') continue;
    const weights = model.constant(node.inputs[1] ?? '');
    if ((weights.shape[0] ?? 0) > MAX_FILTERS) {
      model.setConstant(node.inputs[1] ?? '', { shape: widened(weights.shape), values: bytesOf(weights) });
      replaced.set(node, asImageConvolution(node, node.inputs[0] ?? '', node.outputs[0] ?? ''));
      continue;
    }
    const { sound, scale, bias, result } = graph.around(node);
    const values = floatsOf(weights, model.constant(node.inputs[3] ?? ''), model.constant(scale));
    const name = result.outputs[0] ?? '';
    model.setConstant(`${name}_weights`, { shape: widened(weights.shape), values });
    const inputs = ['', `${name}_weights`, ...(bias === null ? [] : [bias])];
    // By this node's position all inputs are available.
    replaced.set(result, asImageConvolution({ ...node, type: 'Conv', inputs }, sound, name));
  }
  model.nodes = model.nodes.flatMap((node) => replaced.get(node) ?? [node]);
  model.prune();
  return model.write();
}

/** Converts `from` to an image convolution that returns audio. */
function asImageConvolution({ type, inputs, attributes = {} }: OnnxNode, from: string, to: string): OnnxNode[] {
  return [
    { type: 'Unsqueeze', inputs: [from, HEIGHT_AT], outputs: [`${to}_from`] },
    {
      type,
      inputs: [`${to}_from`, ...inputs.slice(1)],
      outputs: [`${to}_picture`],
      attributes: Object.fromEntries(
        Object.entries(attributes).map(([name, value]) => [
          name,
          // Paddings come in pairs, other attributes as one number per dimension.
          typeof value === 'number' ? value : value.flatMap((each) => [HEIGHT_DEFAULTS[name] ?? each, each]),
        ]),
      ),
    },
    { type: 'Squeeze', inputs: [`${to}_picture`, HEIGHT_AT], outputs: [to] },
  ];
}

/** Inserts the height: filters, channels, height, samples. */
const widened = ([filters = 0, channels = 0, ...samples]: readonly number[]) => [filters, channels, 1, ...samples];

/** Finds the nodes around a node. */
class Neighbors {
  readonly #makers: Map<string, ReadNode>;
  readonly #users = new Map<string, ReadNode[]>();

  constructor(nodes: readonly ReadNode[]) {
    this.#makers = new Map(nodes.flatMap((node) => node.outputs.map((name) => [name, node] as const)));
    for (const node of nodes)
      for (const name of node.inputs) this.#users.set(name, [...(this.#users.get(name) ?? []), node]);
  }

  /** Returns the names around a quantized convolution, and the node that produces its result. */
  around(convolution: ReadNode): { sound: string; scale: string; bias: string | null; result: ReadNode } {
    const quantized = this.#maker(convolution.inputs[0], 'DynamicQuantizeLinear');
    const next = this.#user(convolution);
    const isBiased = next.type === 'Add';
    const cast = ofType(isBiased ? this.#user(next) : next, 'Cast');
    const result = ofType(this.#user(cast), 'Mul');
    const scales = this.#maker(otherInput(result, cast), 'Mul');
    return {
      sound: quantized.inputs[0] ?? '',
      scale: scales.inputs.find((name) => name !== quantized.outputs[1]) ?? '',
      bias: isBiased ? this.#bias(otherInput(next, convolution)) : null,
      result,
    };
  }

  /** The bias is also divided by the scales and rounded. */
  #bias(whole: string): string {
    const cast = this.#maker(this.#maker(whole, 'Reshape').inputs[0], 'Cast');
    const divided = this.#maker(this.#maker(cast.inputs[0], 'Floor').inputs[0], 'Div');
    return divided.inputs[0] ?? '';
  }

  #maker(name = '', type: string): ReadNode {
    return ofType(this.#makers.get(name), type);
  }

  /** Returns the only consumer of a node. */
  #user({ outputs }: ReadNode): ReadNode {
    const [user, ...others] = this.#users.get(outputs[0] ?? '') ?? [];
    if (user === undefined || others.length > 0) throw new Error('The model is quantized in an unknown way');
    return user;
  }
}

function ofType(node: ReadNode | undefined, type: string): ReadNode {
  if (node?.type === type) return node;
  throw new Error(`The model is quantized in an unknown way: ${type} expected`);
}

/** Returns a node's other input. */
const otherInput = (node: ReadNode, giver: ReadNode) => node.inputs.find((name) => name !== giver.outputs[0]) ?? '';

function floatsOf(weights: ReadTensor, zero: ReadTensor, scale: ReadTensor): Float32Array {
  if (scale.type !== FLOAT || scale.bytes.length !== 4)
    throw new Error('The model has a scale for each filter, which is not supported');
  const factor = scale.bytes.readFloatLE();
  const middle = bytesOf(zero)[0] ?? 0;
  const floats = Float32Array.from({ length: 256 }, (_, value) => (value - middle) * factor);
  const bytes = bytesOf(weights);
  const values = new Float32Array(bytes.length);
  for (let at = 0; at < values.length; at++) values[at] = floats[bytes[at] as number] as number;
  return values;
}

function bytesOf({ type, bytes }: ReadTensor): Uint8Array {
  if (type !== UINT8) throw new Error('The model has weights that are not bytes');
  return bytes;
}
