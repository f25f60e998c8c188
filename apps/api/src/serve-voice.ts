import type { Server } from 'node:http';
import type { VoiceServices, VoiceSocket } from '@chorus/voice';
import type { Metrics } from './metrics.ts';

/**
 * Serves the voice socket beside the routes. What it is made of is loaded for the first socket, so a process that nobody speaks to stays light.
 *
 * @returns ends the sockets; their clients are told to connect again
 */
export function serveVoice(server: Server, services: VoiceServices & { metrics: Metrics }): () => Promise<void> {
  let voice: VoiceSocket | null = null;
  let loading: Promise<VoiceSocket> | null = null;
  const load = async () => {
    const { createVoiceSocket } = await import('@chorus/voice');
    voice = createVoiceSocket(services);
    return voice;
  };
  server.on('upgrade', (request, socket, head) => {
    if (voice !== null) return voice.upgrade(request, socket, head);
    socket.on('error', () => undefined);
    loading ??= load();
    loading.then(
      (ready) => ready.upgrade(request, socket, head),
      (error: unknown) => {
        services.log.error({ err: error }, 'voice socket could not be loaded');
        socket.destroy();
      },
    );
  });
  services.metrics.watch('chorus_open_voice_sockets', 'Voice sockets that this process has open.', () =>
    voice === null ? 0 : voice.connections(),
  );
  return async () => (await loading?.catch(() => null))?.close();
}
