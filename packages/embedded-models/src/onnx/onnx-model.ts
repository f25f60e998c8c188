import { type Field, field, fieldsOf, type Pieces } from './protobuf.ts';
import { endsOf, nodeOf, type OnnxInterface, type OnnxNode, type OnnxTensor, tensorOf } from './write-onnx.ts';

// Field numbers of the ONNX format.
const MODEL = { graph: 7 };
const GRAPH = { node: 1, constant: 5, input: 11, output: 12 };
const NODE = { input: 1, output: 2, type: 4, attribute: 5 };
const ATTRIBUTE = { name: 1, whole: 3, wholes: 8 };
const TENSOR = { length: 1, type: 2, floats: 4, wholes: 5, name: 8, bytes: 9 };
const OUTPUT = { name: 1 };

/** A node read from the file; changed nodes have no `bytes`. */
export interface ReadNode extends OnnxNode {
  bytes?: Buffer;
}

export interface ReadTensor {
  shape: number[];
  /** The format's number for the type of the values. */
  type: number;
  /** The values as they are in memory. */
  bytes: Buffer;
}

/** Edits a model file before it is run. Untouched parts stay byte for byte the same. */
export class OnnxModel {
  readonly #model: Field[];
  #rest: Field[];
  /** Changed inputs and outputs. */
  #ends: Pieces = [];
  readonly #constants: Map<string, Field>;
  readonly #made = new Map<string, OnnxTensor>();
  #outputs: string[];
  nodes: ReadNode[];

  /** @throws Error if the file is not a model */
  constructor(file: Buffer) {
    this.#model = [...fieldsOf(file)];
    const graph = this.#model.find(({ id }) => id === MODEL.graph);
    if (graph === undefined) throw new Error('A model has no graph');
    const fields = [...fieldsOf(graph.content)];
    const of = (wanted: number) => fields.filter(({ id }) => id === wanted);
    this.nodes = of(GRAPH.node).map(readNode);
    this.#constants = new Map(of(GRAPH.constant).map((each) => [textOf(each.content, TENSOR.name), each]));
    this.#outputs = of(GRAPH.output).map(({ content }) => textOf(content, OUTPUT.name));
    this.#rest = fields.filter(({ id }) => id !== GRAPH.node && id !== GRAPH.constant);
  }

  constant(name: string): ReadTensor {
    const found = this.#constants.get(name);
    if (found === undefined) throw new Error(`A model has no constant ${name}`);
    return readTensor(found.content);
  }

  /** Adds or replaces a constant. */
  setConstant(name: string, tensor: OnnxTensor): void {
    this.#constants.delete(name);
    this.#made.set(name, tensor);
  }

  /** Keeps only the part between these inputs and outputs. */
  keepSubgraph({ inputs, outputs }: OnnxInterface): void {
    const given = new Set(Object.keys(inputs));
    this.nodes = this.nodes.filter((node) => !node.outputs.some((name) => given.has(name)));
    this.#rest = this.#rest.filter(({ id }) => id !== GRAPH.input && id !== GRAPH.output);
    this.#ends = endsOf({ inputs, outputs });
    this.#outputs = Object.keys(outputs);
    this.prune();
  }

  /** Removes nodes and constants that no output needs. */
  prune(): void {
    const makers = new Map(this.nodes.flatMap((node) => node.outputs.map((name) => [name, node] as const)));
    const used = new Set<ReadNode>();
    const names = [...this.#outputs];
    for (let name = names.pop(); name !== undefined; name = names.pop()) {
      const maker = makers.get(name);
      if (maker === undefined || used.has(maker)) continue;
      used.add(maker);
      names.push(...maker.inputs);
    }
    this.nodes = this.nodes.filter((node) => used.has(node));
    const read = new Set(this.nodes.flatMap(({ inputs }) => inputs));
    for (const name of this.#constants.keys()) if (!read.has(name)) this.#constants.delete(name);
  }

  write(): Buffer {
    const graph: Pieces = [
      ...this.nodes.flatMap((node) => (node.bytes ? [node.bytes] : field(GRAPH.node, nodeOf(node)))),
      ...this.#rest.map(({ bytes }) => bytes),
      ...this.#ends,
      ...[...this.#constants.values()].map(({ bytes }) => bytes),
      ...[...this.#made].flatMap(([name, tensor]) => field(GRAPH.constant, tensorOf(name, tensor))),
    ];
    return Buffer.concat(this.#model.flatMap(({ id, bytes }) => (id === MODEL.graph ? field(id, graph) : [bytes])));
  }
}

function readNode({ bytes, content }: Field): ReadNode {
  const node = { type: '', inputs: [] as string[], outputs: [] as string[], bytes };
  const attributes: Record<string, number | number[]> = {};
  for (const { id, content: text } of fieldsOf(content)) {
    if (id === NODE.input) node.inputs.push(text.toString());
    else if (id === NODE.output) node.outputs.push(text.toString());
    else if (id === NODE.type) node.type = text.toString();
    else if (id === NODE.attribute) Object.assign(attributes, readAttribute(text));
  }
  return { ...node, attributes };
}

/** Reads integer attributes, the only ones needed here. */
function readAttribute(attribute: Buffer): Record<string, number | number[]> {
  const fields = [...fieldsOf(attribute)];
  const wholes = fields.flatMap(({ id, value }) => (id === ATTRIBUTE.wholes ? [value] : []));
  const value = wholes.length > 0 ? wholes : fields.find(({ id }) => id === ATTRIBUTE.whole)?.value;
  return value === undefined ? {} : { [textOf(attribute, ATTRIBUTE.name)]: value };
}

function readTensor(tensor: Buffer): ReadTensor {
  const read: ReadTensor = { shape: [], type: 0, bytes: Buffer.alloc(0) };
  for (const { id, value, content } of fieldsOf(tensor)) {
    if (id === TENSOR.length) read.shape.push(value);
    else if (id === TENSOR.type) read.type = value;
    else if (id === TENSOR.bytes || id === TENSOR.floats || id === TENSOR.wholes) read.bytes = content;
  }
  return read;
}

function textOf(message: Buffer, wanted: number): string {
  for (const { id, content } of fieldsOf(message)) if (id === wanted) return content.toString();
  return '';
}
