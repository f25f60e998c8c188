import { describe } from 'vitest';
import { administrationJourneys } from './administration.ts';
import { detailsJourneys } from './details.ts';
import { documentationJourneys } from './documentation.ts';
import { everyPageJourneys } from './every-page.ts';
import { languageJourneys } from './language.ts';
import { operatorJourneys } from './operator.ts';
import { rolesJourneys } from './roles.ts';
import { settingsJourneys } from './settings.ts';
import { shellJourneys } from './shell.ts';
import { signInJourneys } from './sign-in.ts';
import { singleSignOnJourneys } from './single-sign-on.ts';
import { limit, reportsNoErrors, startConsole } from './start-console.ts';

/** All but those in `conversations.test.ts`, which runs in parallel. */
const fixtures = startConsole();

describe('the shell', limit, () => shellJourneys(fixtures));
describe('signing in', limit, () => signInJourneys(fixtures));
describe('single sign-on', limit, () => singleSignOnJourneys(fixtures, () => fixtures().provider));
describe('languages', limit, () => languageJourneys(fixtures));
describe('administration', limit, () => administrationJourneys(fixtures));
describe('details', limit, () => detailsJourneys(fixtures));
describe('every page', limit, () => everyPageJourneys(fixtures));
describe('documentation', limit, () => documentationJourneys(fixtures));
describe('settings', limit, () => settingsJourneys(fixtures));
describe('roles', limit, () => rolesJourneys(fixtures));
describe('operator', limit, () => operatorJourneys(fixtures));

reportsNoErrors(fixtures);
