/** The tool that says what was refused: a sender says that an email was sent, and none arrived. */
import { z } from 'zod';

import { refusalListText } from '../../core/mcp/refusal-list.ts';
import type { RefusalView } from '../../core/refusal/refusal-view.ts';
import { filterFields } from '../refusal/refusal-endpoints.ts';
import { dateField, pageFieldsOf } from './list-tools.ts';
import { defineTool, READS, type Tool } from './tool.ts';

export const refusalTools = (): Tool[] => [
  defineTool({
    name: 'list_refusals',
    title: 'List refused emails',
    description:
      'Lists emails that were refused, and why: mailbox, sender, reason, time and count. Nothing of ' +
      'them is stored. Use it when an email was sent and did not arrive.',
    permission: 'deliveries:read',
    annotations: READS,
    input: z.strictObject({
      ...filterFields,
      start_date: dateField.describe('refused at or after this ISO 8601 time or date'),
      end_date: dateField.describe('refused before this ISO 8601 time, or until this date'),
      ...pageFieldsOf('records'),
    }),
    run: async ({ call, mark }, query) => {
      const { data, pagination } = (await call('listRefusals', { query })) as {
        data: RefusalView[];
        pagination: { has_more: boolean };
      };
      const page = { offset: query.offset, hasMore: pagination.has_more };
      return { text: refusalListText(data, page, mark) };
    },
  }),
];
