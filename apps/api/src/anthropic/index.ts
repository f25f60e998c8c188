import type { Route } from '../define-route.ts';
import { workRoute } from '../openai/define-work.ts';
import { countTokens } from './count-tokens.ts';
import { createMessage } from './messages.ts';
import { getAnthropicModel, listAnthropicModels } from './models.ts';

/** The routes under `/anthropic/v1`. */
export const anthropicRoutes: readonly Route[] = [
  workRoute(createMessage),
  countTokens,
  listAnthropicModels,
  getAnthropicModel,
];
