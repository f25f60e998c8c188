import { z } from 'zod';
import { boundedRecord } from './bounded.ts';

/**
 * Provider-specific options that a request may set, by provider. Others could send data elsewhere, refer to other
 * users' data at the provider, or change the form of the answer.
 */
const ALLOWED: Record<string, readonly string[]> = {
  openai: ['prediction', 'prompt_cache_key', 'reasoning_mode', 'reasoning_summary', 'safety_identifier', 'truncation'],
  anthropic: [
    'cache_control',
    'effort',
    'send_reasoning',
    'speed',
    'structured_output_mode',
    'task_budget',
    'thinking',
    'top_k',
  ],
  google: ['media_resolution', 'safety_settings', 'structured_outputs', 'thinking_config', 'threshold', 'top_k'],
  mistral: ['document_image_limit', 'document_page_limit', 'prompt_cache_key', 'safe_prompt', 'structured_outputs'],
  groq: ['reasoning_format', 'structured_outputs'],
};

/** Request fields that extra fields of a compatible server must not replace. */
const OWN_FIELDS = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'n',
  'max_tokens',
  'temperature',
  'top_p',
  'stop',
  'seed',
  'presence_penalty',
  'frequency_penalty',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'functions',
  'function_call',
  'response_format',
  'reasoning_effort',
  'verbosity',
  'logprobs',
  'top_logprobs',
  'logit_bias',
  'service_tier',
  'user',
  'store',
  'modalities',
  'audio',
]);

/** Provider-specific options, by provider. For `compatible` servers they are extra fields of the request. */
export const providerOptions = boundedRecord(
  z.string().max(64),
  boundedRecord(z.string().max(128), z.unknown(), 100),
  10,
).superRefine((given, context) => {
  for (const [provider, options] of Object.entries(given))
    if (provider === 'compatible') refuse(provider, options, (name) => !OWN_FIELDS.has(snakeCase(name)));
    else if (!Object.hasOwn(ALLOWED, provider))
      context.addIssue({
        code: 'custom',
        path: [provider],
        message: `must be one of: compatible, ${Object.keys(ALLOWED).join(', ')}`,
      });
    else {
      const allowed = ALLOWED[provider] ?? [];
      refuse(provider, options, (name) => allowed.includes(snakeCase(name)), `; allowed: ${allowed.join(', ')}`);
    }

  function refuse(provider: string, options: object, allows: (name: string) => boolean, others = ''): void {
    for (const name of Object.keys(options).filter((one) => !allows(one)))
      context.addIssue({ code: 'custom', path: [provider, name], message: `must not be set here${others}` });
  }
});

/** The providers' SDKs use camelCase names; both forms are accepted. */
function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
