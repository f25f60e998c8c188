import type { Route } from '../define-route.ts';
import { endpointRoute } from '../protocols/define-endpoint.ts';
import { countTokens } from './count-tokens.ts';
import { createMessage } from './messages.ts';
import { getAnthropicModel, listAnthropicModels } from './models.ts';

/** The routes under `/anthropic/v1`. */
export const anthropicRoutes: readonly Route[] = [
  endpointRoute(createMessage),
  countTokens,
  listAnthropicModels,
  getAnthropicModel,
];
