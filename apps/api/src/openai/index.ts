import type { Route } from '../define-route.ts';
import { getOpenAiModel, listOpenAiModels } from './models.ts';

/** The routes under `/openai/v1`. */
export const openAiRoutes: readonly Route[] = [listOpenAiModels, getOpenAiModel];
