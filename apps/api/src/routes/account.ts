import { accountDeletion, accountDeletionPlan, accountExportQuery, deletion } from '@chorus/contract';
import { z } from 'zod';
import { accountArchive } from '../account/account-archive.ts';
import { holdExport } from '../account/hold-export.ts';
import { defineRoute } from '../define-route.ts';
import { BrowserCookie } from '../login/browser-cookie.ts';
import { holdPlace } from '../responses/hold-place.ts';
import { sendPieces } from '../sessions/send-pieces.ts';

export const exportAccount = defineRoute({
  method: 'get',
  path: '/me/export',
  area: 'auth',
  summary: 'Download your data',
  description:
    'A ZIP file with your profile, conversations, documents, files, agents, prompts, archive, and jobs in all scopes, as far as you made them. ' +
    "README.txt in it explains the rest. Temporary sessions, and what other members of a workspace made, are not included. Counts as one of the user's event streams; 429 `limit_reached` while another download runs.",
  needs: 'account',
  query: accountExportQuery,
  answer: z.string().meta({ format: 'binary' }),
  answerType: 'application/zip',
  endless: true,
  refuses: ['limit_reached'],
  handle: async ({ query, user, services, context }) => {
    await holdPlace(context, 'streams');
    await holdExport(context);
    const day = new Date().toISOString().slice(0, 10);
    const file = { type: 'application/zip', disposition: `attachment; filename="chorus-${day}.zip"` };
    await sendPieces(context, file, accountArchive(services, user, query));
    return undefined;
  },
});

export const planAccountDeletion = defineRoute({
  method: 'get',
  path: '/me/deletion',
  area: 'auth',
  summary: 'Get what deleting your account means',
  needs: 'account',
  answer: accountDeletionPlan,
  handle: ({ user, services }) => services.accounts.planLeave(user),
});

export const deleteAccount = defineRoute({
  method: 'post',
  path: '/me/deletion',
  area: 'auth',
  summary: 'Delete your account',
  description:
    'Your logins and API keys stop working within a second. Within minutes, everything that you made is erased in all scopes, with workspaces that have no other member. This cannot be undone. ' +
    '409 `conflict` for the only operator, and for the only owner of a workspace with other members.',
  needs: 'account',
  body: accountDeletion,
  secret: true,
  answer: deletion,
  refuses: ['invalid_credentials', 'invalid_totp_code', 'sso_failed', 'conflict'],
  handle: async ({ body, context, request, response, user, actor, services }) => {
    const { current_password: password, ticket = '', code } = body;
    const browser = new BrowserCookie(request, response, context.addresses.baseUrl);
    const proof = password === undefined ? { ticket, browser: browser.value, code } : { password, code };
    await services.accounts.leave(user, proof, actor);
    return { id: user.id, object: 'user', deleted: true };
  },
});
