import type { LanguageModelV4CallOptions, SharedV4Warning } from '@ai-sdk/provider';
import type { ChatSettings, SettingName } from '@chorus/contract';

/** Our names for the settings of the provider packages. */
const NAMES: Record<string, SettingName> = {
  temperature: 'temperature',
  topP: 'top_p',
  seed: 'seed',
  stopSequences: 'stop',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
};

export function toCallSettings(settings: ChatSettings): Omit<LanguageModelV4CallOptions, 'prompt'> {
  return {
    ...(settings.temperature !== undefined && { temperature: settings.temperature }),
    ...(settings.top_p !== undefined && { topP: settings.top_p }),
    ...(settings.max_tokens !== undefined && { maxOutputTokens: settings.max_tokens }),
    ...(settings.stop !== undefined && settings.stop.length > 0 && { stopSequences: settings.stop }),
    ...(settings.seed !== undefined && { seed: settings.seed }),
    ...(settings.presence_penalty !== undefined && { presencePenalty: settings.presence_penalty }),
    ...(settings.frequency_penalty !== undefined && { frequencyPenalty: settings.frequency_penalty }),
  };
}

export interface DroppedSetting {
  name: SettingName;
  details: string;
}

/** Returns the settings that the provider package says it left out of a request or changed. */
export function droppedSettings(warnings: readonly SharedV4Warning[], settings: ChatSettings): DroppedSetting[] {
  return warnings.flatMap((warning): DroppedSetting[] => {
    if (warning.type !== 'unsupported') return [];
    const name = NAMES[warning.feature];
    return name === undefined || settings[name] === undefined ? [] : [{ name, details: warning.details ?? '' }];
  });
}
