import type { ChatSettings, SettingName } from '@chorus/contract';
import { dryRunSignal } from './call-fetch.ts';
import { droppedSettings, toCallSettings } from './call-settings.ts';
import type { PrepareChat } from './model-stream.ts';

/**
 * Values that every provider accepts. `top_p` is separate, because some models refuse it with a
 * temperature.
 */
const TRIALS: ChatSettings[] = [
  { temperature: 0.5, seed: 1, stop: ['.'], presence_penalty: 0.5, frequency_penalty: 0.5 },
  { top_p: 0.5 },
];

/** Finds the settings that a model never takes. Builds requests as a call would, but sends none. */
export async function unsupportedSettings(model: string, chat: PrepareChat): Promise<SettingName[]> {
  const names = new Set<SettingName>();
  for (const settings of TRIALS) {
    const { start } = chat({ model, messages: [], settings }, { ...toCallSettings(settings), prompt: [] });
    const reader = (await start(dryRunSignal())).stream.getReader();
    const { value } = await reader.read();
    await reader.cancel();
    if (value?.type !== 'stream-start') continue;
    for (const { name } of droppedSettings(value.warnings, settings)) names.add(name);
  }
  return [...names];
}
