export type { ChatCall, ChatCallOptions, ChatPart, FinishReason } from './provider-port.ts';
export { createProviders, type Providers } from './providers.ts';
