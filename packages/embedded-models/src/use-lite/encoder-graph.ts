import type { OnnxGraph, OnnxNode, OnnxTensor } from '../onnx/write-onnx.ts';

/** The length of a vector. */
export const DIMENSIONS = 512;
/** The length of a token's embedding. */
export const EMBEDDING_SIZE = 256;
const HEADS = 4;
const EPSILON = 1e-6;

/** Finds weights by the end of their name. */
export type Weights = (name: string) => OnnxTensor;

/**
 * Builds the encoder for one text: a transformer of two layers whose states are averaged. The rest of
 * the package's model handles batches of texts.
 *
 * Inputs: `tokens` [T], `timing` [T, 256]; output: `vector` [512], not normalized.
 */
export function encoderGraph(weights: Weights): OnnxGraph {
  const nodes: OnnxNode[] = [];
  const constants = new Map<string, OnnxTensor>();
  const constant = (name: string, tensor: OnnxTensor): string => {
    constants.set(name, tensor);
    return name;
  };
  const weight = (name: string, shape?: readonly number[]): string => {
    const { shape: own, values } = weights(name);
    return constant(name, { shape: shape ?? own, values });
  };
  const whole = (name: string, ...values: number[]): string =>
    constant(name, { shape: [values.length], values: BigInt64Array.from(values, BigInt) });
  let count = 0;
  const add = (type: string, inputs: string[], more: Pick<OnnxNode, 'attributes' | 'floats'> = {}): string => {
    count += 1;
    const output = `${type}_${count}`;
    nodes.push({ type, inputs, outputs: [output], ...more });
    return output;
  };
  const dense = (input: string, kernel: string, bias: string, shape?: readonly number[]): string =>
    add('Add', [add('MatMul', [input, weight(kernel, shape)]), weight(bias)]);
  const normalised = (input: string, place: string): string =>
    add(
      'LayerNormalization',
      [
        input,
        weight(`${place}/layer_prepostprocess/layer_norm/layer_norm_scale/ConcatPartitions/concat`),
        weight(`${place}/layer_prepostprocess/layer_norm/layer_norm_bias/ConcatPartitions/concat`),
      ],
      { attributes: { axis: -1 }, floats: { epsilon: EPSILON } },
    );

  const layer = (input: string, index: 0 | 1, width: number): string => {
    const place = `Encode/Layer_${index}/TransformerLayer`;
    const attention = `${place}/MultiheadAttention`;
    const each = width / HEADS;
    const qkv = dense(
      normalised(input, place),
      `${attention}/qkv_transform_single/kernel/part_0`,
      `${attention}/qkv_transform_single/bias/ConcatPartitions/concat`,
      [width, width * 3],
    );
    const parts = ['query', 'key', 'value'].map((name) => `${name}_${index}`);
    nodes.push({
      type: 'Split',
      inputs: [qkv, whole(`thirds_${index}`, width, width, width)],
      outputs: parts,
      attributes: { axis: -1 },
    });
    const heads = whole(`heads_${index}`, 0, HEADS, each);
    const [query = '', key = '', value = ''] = parts.map((part, at) =>
      add('Transpose', [add('Reshape', [part, heads])], { attributes: { perm: at === 1 ? [1, 2, 0] : [1, 0, 2] } }),
    );
    const scale = constant(`scale_${index}`, { shape: [], values: Float32Array.of(each ** -0.5) });
    const seen = add('Softmax', [add('MatMul', [add('Mul', [query, scale]), key])], { attributes: { axis: -1 } });
    const apart = add('Transpose', [add('MatMul', [seen, value])], { attributes: { perm: [1, 0, 2] } });
    const attended = dense(
      add('Reshape', [apart, whole(`joined_${index}`, 0, width)]),
      `${attention}/output_transform_single/kernel/part_0`,
      `${attention}/output_transform_single/bias/ConcatPartitions/concat`,
      [width, DIMENSIONS],
    );
    // The first layer widens, so its residual is widened too.
    const kept =
      width === DIMENSIONS
        ? input
        : dense(input, `${place}/dense/kernel/ConcatPartitions/concat`, `${place}/dense/bias/ConcatPartitions/concat`);
    const state = add('Add', [attended, kept]);
    const stack = `Encode/TransformerStack/Layer_${index}/TransformerLayer/FFN`;
    const inner = add('Relu', [
      dense(
        normalised(state, `${place}/FFN`),
        `${stack}/conv1/Tensordot/Reshape_1`,
        `${place}/FFN/conv1/bias/ConcatPartitions/concat`,
      ),
    ]);
    const outer = dense(inner, `${stack}/conv2/Tensordot/Reshape_1`, `${place}/FFN/conv2/bias/ConcatPartitions/concat`);
    return add('Add', [outer, state]);
  };

  const embedded = add('Gather', [weight('module/Embeddings_en'), 'tokens']);
  // The model adds the timing and then adds the sum to the tokens.
  const timed = add('Add', [embedded, add('Add', [embedded, 'timing'])]);
  const states = layer(layer(timed, 0, EMBEDDING_SIZE), 1, DIMENSIONS);
  const mean = add('ReduceMean', [states], { attributes: { axes: [0], keepdims: 0 } });
  const last = 'module/Encoder_en/hidden_layers/tanh_layer_0';
  nodes.push({ type: 'Tanh', inputs: [dense(mean, `${last}/weights`, `${last}/bias`)], outputs: ['vector'] });
  return {
    nodes,
    constants,
    inputs: { tokens: { type: 'int64', shape: ['T'] }, timing: { type: 'float', shape: ['T', EMBEDDING_SIZE] } },
    outputs: { vector: [DIMENSIONS] },
  };
}

/** Returns the position signal of a text: [length, 256]. */
export function timingOf(length: number): Float32Array {
  const half = EMBEDDING_SIZE / 2;
  const timing = new Float32Array(length * EMBEDDING_SIZE);
  for (let at = 0; at < length; at += 1)
    for (let place = 0; place < half; place += 1) {
      const angle = at * Math.exp((-Math.log(10_000) * place) / (half - 1));
      timing[at * EMBEDDING_SIZE + place] = Math.sin(angle);
      timing[at * EMBEDDING_SIZE + half + place] = Math.cos(angle);
    }
  return timing;
}
