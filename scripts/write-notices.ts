import { writeNotices } from './checks/notices.ts';

writeNotices();
