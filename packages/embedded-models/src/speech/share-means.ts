import type { OnnxModel, ReadNode } from '../onnx/onnx-model.ts';
import type { OnnxInterface, OnnxNode } from '../onnx/write-onnx.ts';

/** Channels of the voice's layers, by name. */
const WIDTHS: [RegExp, number][] = [
  [/generator\/(?:noise_res\.0|resblocks\.[0-2])\//, 256],
  [/generator\/(?:noise_res\.1|resblocks\.[3-5])\//, 128],
];

/** Additional inputs and outputs of the changed model. */
export const MEANS = { known: 'known_means', share: 'known_share', own: 'own_means' };

/**
 * Lets the voice's layers use external means. They normalize by the means of a whole phrase, so a single piece would
 * sound different. The model returns its own means, and mixes in the given ones.
 *
 * @returns The additional inputs and outputs, and the number of means.
 */
export function shareMeans(model: OnnxModel): { ends: OnnxInterface; count: number } {
  const layers: { name: string; width: number }[] = [];
  model.nodes = model.nodes.flatMap((node): (ReadNode | OnnxNode)[] => {
    const name = node.outputs[0] ?? '';
    const width = node.type === 'ReduceMean' ? WIDTHS.find(([layer]) => layer.test(name))?.[1] : undefined;
    if (width === undefined) return [node];
    layers.push({ name, width });
    const made = (type: string, inputs: string[], output: string) => ({ type, inputs, outputs: [output] });
    return [
      { type: node.type, inputs: node.inputs, outputs: [`${name}_own`], attributes: node.attributes ?? {} },
      made('Sub', [`${name}_known`, `${name}_own`], `${name}_off`),
      made('Mul', [`${name}_off`, MEANS.share], `${name}_moved`),
      made('Add', [`${name}_own`, `${name}_moved`], name),
    ];
  });
  const widths = BigInt64Array.from(layers, ({ width }) => BigInt(width));
  model.setConstant(`${MEANS.known}_widths`, { shape: [layers.length], values: widths });
  const count = layers.reduce((sum, { width }) => sum + width, 0);
  model.nodes = [
    {
      type: 'Split',
      inputs: [MEANS.known, `${MEANS.known}_widths`],
      outputs: layers.map(({ name }) => `${name}_known`),
      attributes: { axis: 1 },
    },
    ...model.nodes,
    { type: 'Concat', inputs: layers.map(({ name }) => `${name}_own`), outputs: [MEANS.own], attributes: { axis: 1 } },
  ];
  return {
    count,
    ends: {
      inputs: { [MEANS.known]: { type: 'float', shape: [1, count, 1] }, [MEANS.share]: { type: 'float', shape: [1] } },
      outputs: { [MEANS.own]: [1, count, 1] },
    },
  };
}
