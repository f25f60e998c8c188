import { type ChorusClient, succeeded, textOf } from '@chorus/client';

/** Returns the words of a recording. Neither the recording nor its job is kept. */
export async function transcribe(client: ChorusClient, sound: Blob, signal: AbortSignal): Promise<string> {
  const [type = ''] = sound.type.split(';');
  const file = new File([sound], `dictation.${type.split('/')[1] ?? 'webm'}`, { type });
  const { id: asset_id } = await client.assets.upload(file, { signal });
  try {
    const job = await client.voice.transcribe({ asset_id }, { signal });
    await client.jobs.delete(job.id).catch(() => undefined);
    return textOf(succeeded(job)).trim();
  } finally {
    await client.assets.delete(asset_id).catch(() => undefined);
  }
}
