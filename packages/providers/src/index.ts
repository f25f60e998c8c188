export type { ChatCall, ChatCallOptions, ChatPart, FinishReason } from './provider-port.ts';
export { createProviders, type Providers, type ProvidersConfig } from './providers.ts';
