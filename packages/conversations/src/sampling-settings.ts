import type { ChatRequest, SamplingSettings } from '@chorus/contract';

/** What a request says that shapes the model's answer. */
export function samplingSettingsOf(request: Partial<ChatRequest>): SamplingSettings {
  const settings: SamplingSettings = {};
  const maxTokens = request.max_completion_tokens ?? request.max_tokens;
  if (request.temperature != null) settings.temperature = request.temperature;
  if (request.top_p != null) settings.top_p = request.top_p;
  if (maxTokens != null) settings.max_tokens = maxTokens;
  if (request.stop != null) settings.stop = [request.stop].flat();
  if (request.seed != null) settings.seed = request.seed;
  if (request.presence_penalty != null) settings.presence_penalty = request.presence_penalty;
  if (request.frequency_penalty != null) settings.frequency_penalty = request.frequency_penalty;
  return settings;
}
