import type { Server } from 'node:http';
import { tracedCalls } from '@chorus/runtime/tracing';
import type { VoiceServices, VoiceSocket } from '@chorus/voice';
import type { Metrics } from './metrics.ts';

/**
 * Serves the voice socket next to the routes. Its code is loaded at the first connection, to save memory.
 * @returns closes the sockets and asks their clients to reconnect
 */
export function serveVoice(server: Server, services: VoiceServices & { metrics: Metrics }): () => Promise<void> {
  let voice: VoiceSocket | null = null;
  let loading: Promise<VoiceSocket> | null = null;
  const load = async () => {
    const { createVoiceSocket } = await import('@chorus/voice');
    voice = createVoiceSocket({ ...services, observer: tracedCalls(services.metrics.providers) });
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
  services.metrics.addGauge('chorus_open_voice_sockets', 'Open voice sockets of this process.', () =>
    voice === null ? 0 : voice.connections(),
  );
  return async () => (await loading?.catch(() => null))?.close();
}
