import { writeFile } from 'node:fs/promises';

const WIDTH = 64;
const HEADS = 4;
const LAYERS = 2;
const FEED_FORWARD = 128;
const CONTEXT = 512;
const ALIGNMENT = 32;

const TYPES = { uint32: 4, int32: 5, float32: 6, string: 8, array: 9 } as const;

const WORDS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];
const PIECES = [
  { text: '<unk>', type: 2 },
  { text: '<s>', type: 3 },
  { text: '</s>', type: 3 },
  ...Array.from({ length: 256 }, (_, byte) => ({
    text: `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
    type: 6,
  })),
  ...WORDS.map((word) => ({ text: `▁${word}`, type: 1 })),
];

/**
 * Writes a language model for llama.cpp: two layers with fixed pseudo-random weights. It outputs words of a
 * small vocabulary in a meaningless order.
 */
export async function writeFakeGguf(path: string): Promise<void> {
  const tensors = tensorsOf();
  const infos: Buffer[] = [];
  const data: Buffer[] = [];
  let offset = 0;
  for (const { name, shape, values } of tensors) {
    infos.push(string(name), uint32(shape.length), ...shape.map(uint64), uint32(0), uint64(offset));
    const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
    const padded = Buffer.concat([bytes, Buffer.alloc(-bytes.length & (ALIGNMENT - 1))]);
    data.push(padded);
    offset += padded.length;
  }
  const fields = metadata();
  const head = Buffer.concat([
    Buffer.from('GGUF'),
    uint32(3),
    uint64(tensors.length),
    uint64(fields.length),
    ...fields,
    ...infos,
  ]);
  await writeFile(path, Buffer.concat([head, Buffer.alloc(-head.length & (ALIGNMENT - 1)), ...data]));
}

function metadata(): Buffer[] {
  const field = (key: string, type: keyof typeof TYPES, value: Buffer) =>
    Buffer.concat([string(key), uint32(TYPES[type]), value]);
  const array = (type: keyof typeof TYPES, values: Buffer[]) =>
    Buffer.concat([uint32(TYPES[type]), uint64(values.length), ...values]);
  const number = (key: string, value: number) => field(key, 'uint32', uint32(value));
  return [
    field('general.architecture', 'string', string('llama')),
    field('general.name', 'string', string('fake')),
    number('llama.context_length', CONTEXT),
    number('llama.embedding_length', WIDTH),
    number('llama.block_count', LAYERS),
    number('llama.feed_forward_length', FEED_FORWARD),
    number('llama.attention.head_count', HEADS),
    number('llama.attention.head_count_kv', HEADS),
    number('llama.rope.dimension_count', WIDTH / HEADS),
    number('llama.vocab_size', PIECES.length),
    field('llama.attention.layer_norm_rms_epsilon', 'float32', float32(1e-5)),
    field('tokenizer.ggml.model', 'string', string('llama')),
    field(
      'tokenizer.ggml.tokens',
      'array',
      array(
        'string',
        PIECES.map(({ text }) => string(text)),
      ),
    ),
    field(
      'tokenizer.ggml.scores',
      'array',
      array(
        'float32',
        PIECES.map((_, index) => float32(-index)),
      ),
    ),
    field(
      'tokenizer.ggml.token_type',
      'array',
      array(
        'int32',
        PIECES.map(({ type }) => uint32(type)),
      ),
    ),
    number('tokenizer.ggml.bos_token_id', 1),
    number('tokenizer.ggml.eos_token_id', 2),
    number('tokenizer.ggml.unknown_token_id', 0),
    field(
      'tokenizer.chat_template',
      'string',
      string('{% for message in messages %}{{ message.content }}\n{% endfor %}'),
    ),
  ];
}

function tensorsOf(): { name: string; shape: number[]; values: Float32Array }[] {
  let state = 42;
  const chance = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  const matrix = (name: string, ...shape: number[]) => ({
    name: `${name}.weight`,
    shape,
    values: Float32Array.from({ length: shape.reduce((product, size) => product * size, 1) }, () => chance() * 0.1),
  });
  const norm = (name: string) => ({ name: `${name}.weight`, shape: [WIDTH], values: new Float32Array(WIDTH).fill(1) });
  // The first number of every token stays large through the layers. Its sign makes the output prefer words to
  // bytes and to an end, so the model never stops by itself.
  const embedding = matrix('token_embd', WIDTH, PIECES.length);
  const output = matrix('output', WIDTH, PIECES.length);
  for (let piece = 0; piece < PIECES.length; piece += 1) {
    embedding.values[piece * WIDTH] = 10;
    output.values[piece * WIDTH] = piece < PIECES.length - WORDS.length ? -1 : 1;
  }
  const layers = Array.from({ length: LAYERS }, (_, layer) => [
    norm(`blk.${layer}.attn_norm`),
    matrix(`blk.${layer}.attn_q`, WIDTH, WIDTH),
    matrix(`blk.${layer}.attn_k`, WIDTH, WIDTH),
    matrix(`blk.${layer}.attn_v`, WIDTH, WIDTH),
    matrix(`blk.${layer}.attn_output`, WIDTH, WIDTH),
    norm(`blk.${layer}.ffn_norm`),
    matrix(`blk.${layer}.ffn_gate`, WIDTH, FEED_FORWARD),
    matrix(`blk.${layer}.ffn_up`, WIDTH, FEED_FORWARD),
    matrix(`blk.${layer}.ffn_down`, FEED_FORWARD, WIDTH),
  ]);
  return [embedding, ...layers.flat(), norm('output_norm'), output];
}

function string(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([uint64(bytes.length), bytes]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function float32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
}
