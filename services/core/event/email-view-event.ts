/** `email.viewed`: somebody read a part of an email (D279). */
import { z } from 'zod';

const VIEWED_PARTS = [
  'text',
  'html',
  'payload',
  'raw',
  'attachment',
  'codes',
  'condition',
] as const;
/**
 * What was read. `text`: headers and text. `codes`: codes and links. `condition`: whether
 * expressions or rules hold for it.
 */
export type ViewedPart = (typeof VIEWED_PARTS)[number];

/** `link`: a signed link of a payload, whose holder is not known. */
const VIEW_WAYS = ['dashboard', 'api', 'mcp', 'link'] as const;
export type ViewWay = (typeof VIEW_WAYS)[number];

/** Fields of its data. */
export const viewFields = {
  part: z.enum(VIEWED_PARTS).optional().describe('for email.viewed: the part of the email'),
  way: z
    .enum(VIEW_WAYS)
    .optional()
    .describe('for email.viewed: how; link: a signed link, whose holder is not known'),
};
