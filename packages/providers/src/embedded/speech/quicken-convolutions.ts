import { OnnxModel, type ReadNode, type ReadTensor } from '../onnx/onnx-model.ts';
import type { OnnxNode } from '../onnx/write-onnx.ts';

const [FLOAT, UINT8] = [1, 2];

/** With more filters, a convolution stays in whole numbers: it hears few samples, and its weights would take four times the memory. */
const MOST_FILTERS = 256;

/** A constant that tells where the height stands among the lengths of a sound: batch, channels, samples. */
const HEIGHT_AT = 'chorus_height_at';

/** What lists of a convolution say of a height of one. */
const OF_HEIGHT: Readonly<Record<string, number>> = { kernel_shape: 1, dilations: 1, strides: 1, pads: 0 };

/**
 * The same model with its convolutions as ONNX Runtime computes them quickly. It has quick code for pictures alone: of a sound it fetches 8-bit numbers one by one, which takes most of
 * the time that speaking takes. So each sound becomes a picture that is one sample high, and where most of the work is, floating-point numbers save making and unmaking the others.
 *
 * @param file an ONNX model whose sounds are quantized while it runs @throws Error where it is quantized in another way
 */
export function quickenConvolutions(file: Buffer): Buffer {
  const model = new OnnxModel(file);
  const graph = new Neighbours(model.nodes);
  model.setConstant(HEIGHT_AT, { shape: [1], values: BigInt64Array.of(2n) });
  const replaced = new Map<ReadNode, OnnxNode[]>();
  for (const node of model.nodes) {
    if (node.type !== 'ConvInteger') continue;
    const weights = model.constant(node.inputs[1] ?? '');
    if ((weights.shape[0] ?? 0) > MOST_FILTERS) {
      model.setConstant(node.inputs[1] ?? '', { shape: widened(weights.shape), values: bytesOf(weights) });
      replaced.set(node, ofPicture(node, node.inputs[0] ?? '', node.outputs[0] ?? ''));
      continue;
    }
    const { sound, scale, bias, result } = graph.around(node);
    const values = floatsOf(weights, model.constant(node.inputs[3] ?? ''), model.constant(scale));
    const name = result.outputs[0] ?? '';
    model.setConstant(`${name}_weights`, { shape: widened(weights.shape), values });
    const inputs = ['', `${name}_weights`, ...(bias === null ? [] : [bias])];
    // Where the result was given all that is needed is there.
    replaced.set(result, ofPicture({ ...node, type: 'Conv', inputs }, sound, name));
  }
  model.nodes = model.nodes.flatMap((node) => replaced.get(node) ?? [node]);
  model.prune();
  return model.write();
}

/** A convolution of `from` as one of a picture; what it makes is a sound again. */
function ofPicture({ type, inputs, attributes = {} }: OnnxNode, from: string, to: string): OnnxNode[] {
  return [
    { type: 'Unsqueeze', inputs: [from, HEIGHT_AT], outputs: [`${to}_from`] },
    {
      type,
      inputs: [`${to}_from`, ...inputs.slice(1)],
      outputs: [`${to}_picture`],
      attributes: Object.fromEntries(
        Object.entries(attributes).map(([name, value]) => [
          name,
          // Paddings are one before and one behind each length; the others have one number for it.
          typeof value === 'number' ? value : value.flatMap((each) => [OF_HEIGHT[name] ?? each, each]),
        ]),
      ),
    },
    { type: 'Squeeze', inputs: [`${to}_picture`, HEIGHT_AT], outputs: [to] },
  ];
}

/** From filters, channels, samples to filters, channels, height, samples. */
const widened = ([filters = 0, channels = 0, ...samples]: readonly number[]) => [filters, channels, 1, ...samples];

/** Which nodes give and take what. */
class Neighbours {
  readonly #makers: Map<string, ReadNode>;
  readonly #users = new Map<string, ReadNode[]>();

  constructor(nodes: readonly ReadNode[]) {
    this.#makers = new Map(nodes.flatMap((node) => node.outputs.map((name) => [name, node] as const)));
    for (const node of nodes)
      for (const name of node.inputs) this.#users.set(name, [...(this.#users.get(name) ?? []), node]);
  }

  /** Where the whole numbers of a convolution come from, and what is made of them: names, and the node that gives its result in the end. */
  around(convolution: ReadNode): { sound: string; scale: string; bias: string | null; result: ReadNode } {
    const quantized = this.#maker(convolution.inputs[0], 'DynamicQuantizeLinear');
    const next = this.#user(convolution);
    const isBiased = next.type === 'Add';
    const cast = ofType(isBiased ? this.#user(next) : next, 'Cast');
    const result = ofType(this.#user(cast), 'Mul');
    const scales = this.#maker(besides(result, cast), 'Mul');
    return {
      sound: quantized.inputs[0] ?? '',
      scale: scales.inputs.find((name) => name !== quantized.outputs[1]) ?? '',
      bias: isBiased ? this.#bias(besides(next, convolution)) : null,
      result,
    };
  }

  /** It is divided by the scales and made whole, too. */
  #bias(whole: string): string {
    const cast = this.#maker(this.#maker(whole, 'Reshape').inputs[0], 'Cast');
    const divided = this.#maker(this.#maker(cast.inputs[0], 'Floor').inputs[0], 'Div');
    return divided.inputs[0] ?? '';
  }

  #maker(name = '', type: string): ReadNode {
    return ofType(this.#makers.get(name), type);
  }

  /** The only one that takes what a node gives. */
  #user({ outputs }: ReadNode): ReadNode {
    const [user, ...others] = this.#users.get(outputs[0] ?? '') ?? [];
    if (user === undefined || others.length > 0) throw new Error('A model is quantized in an unknown way');
    return user;
  }
}

function ofType(node: ReadNode | undefined, type: string): ReadNode {
  if (node?.type === type) return node;
  throw new Error(`A model is quantized in an unknown way: no ${type} is where one should be`);
}

/** What a node takes beside what another one gives. */
const besides = (node: ReadNode, giver: ReadNode) => node.inputs.find((name) => name !== giver.outputs[0]) ?? '';

function floatsOf(weights: ReadTensor, zero: ReadTensor, scale: ReadTensor): Float32Array {
  if (scale.type !== FLOAT || scale.bytes.length !== 4) throw new Error('A model has a scale for each filter');
  const factor = scale.bytes.readFloatLE();
  const middle = bytesOf(zero)[0] ?? 0;
  const floats = Float32Array.from({ length: 256 }, (_, value) => (value - middle) * factor);
  const bytes = bytesOf(weights);
  const values = new Float32Array(bytes.length);
  for (let at = 0; at < values.length; at++) values[at] = floats[bytes[at] as number] as number;
  return values;
}

function bytesOf({ type, bytes }: ReadTensor): Uint8Array {
  if (type !== UINT8) throw new Error('A model has weights that are no bytes');
  return bytes;
}
