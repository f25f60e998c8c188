import type { KnownModel } from './provider-port.ts';

// Lists of models say nothing of what a model does; their names do, mostly. A wrong guess costs little: any name may be used.
const NOT_CHAT =
  /embed|rerank|whisper|transcri|translat|tts|speech|audio|realtime|\blive\b|image|dall-e|sora|video|moderation|guard|turbo-instruct|davinci|babbage|search-preview|computer-use/i;
const SEES =
  /vision|[-_.]vl\b|vl[-:]|llava|pixtral|moondream|minicpm-v|gemma-?[34]|llama-?4|gpt-4o|gpt-4\.1|gpt-4-turbo|gpt-[5-9]|^o1(?!-mini)|^o3(?!-mini)|^o4|chatgpt|claude|gemini|mistral-(small|medium)/i;

/** Whether a model of this name is one to chat with. */
export function isChatModel(id: string): boolean {
  return !NOT_CHAT.test(id);
}

/** What a model of this name can do. */
export function capabilitiesOf(id: string): KnownModel['capabilities'] {
  return SEES.test(id) ? ['chat', 'vision'] : ['chat'];
}
