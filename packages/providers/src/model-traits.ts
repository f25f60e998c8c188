import type { Capability } from '@chorus/contract';

// Model lists say little about abilities, but names mostly reveal them. A wrong guess does little harm, since any name
// can be used.
const KINDS: [RegExp, Capability | null][] = [
  [
    /rerank|moderation|guard|realtime|\blive\b|translat|turbo-instruct|davinci|babbage|search-preview|computer-use|ocr/i,
    null,
  ],
  [/embed/i, 'embedding'],
  [/whisper|transcri|scribe|voxtral.*(realtime|transcribe)/i, 'transcription'],
  [/tts|speech|orpheus|canopylabs/i, 'speech'],
  [/audio/i, null],
  [/image|dall-e|imagen/i, 'image'],
  [/sora|video|veo-/i, 'video'],
];
const SEES =
  /vision|[-_.]vl\b|vl[-:]|llava|pixtral|moondream|minicpm-v|gemma-?[34]|llama-?4|gpt-4o|gpt-4\.1|gpt-4-turbo|gpt-[5-9]|^o1(?!-mini)|^o3(?!-mini)|^o4|chatgpt|claude|gemini|mistral-(small|medium)/i;

/** Returns the abilities of a model, judging by its name. Empty: it is not useful here. */
export function capabilitiesOf(id: string): Capability[] {
  for (const [pattern, capability] of KINDS) if (pattern.test(id)) return capability === null ? [] : [capability];
  return SEES.test(id) ? ['chat', 'vision'] : ['chat'];
}
