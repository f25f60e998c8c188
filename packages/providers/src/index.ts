export { createSharedGates } from './gate/shared-gates.ts';
export { openProviders } from './open-providers.ts';
export type { ChatCall, ChatPart, FinishReason } from './provider-port.ts';
export { createProviders, type Providers } from './providers.ts';
