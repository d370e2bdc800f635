/** The definition of a tool of the MCP server: what clients see of it, and what it does. */
import { z } from 'zod';

import type { AddressCaller } from '../../core/token/token.ts';
import type { Permission } from '../../core/token/permission.ts';
import { may } from '../../core/token/token.ts';
import type { ResourceLink } from '../../core/mcp/email-text.ts';
import type { Given, InternalRequest } from '../http/perform.ts';

/** Hints for clients (MCP schema: ToolAnnotations). No tool sends anything. */
type Annotations = {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  /** Content of strangers is in the result. */
  openWorldHint: boolean;
};

export type ToolRequest = {
  request: InternalRequest;
  /** Calls an endpoint of the REST API as the caller. */
  call: (operationId: string, given: Given) => Promise<unknown>;
  /** Random, for this response only. */
  mark: string;
};

export type ToolResult = {
  text: string;
  links?: readonly ResourceLink[];
  /** Must not contain text from emails: clients pass it to the model without the markers. */
  structured?: object;
  /** For the audit trail. */
  about?: { address_id?: string; event_id?: string };
};

export type Tool<Input extends z.ZodObject = z.ZodObject> = {
  name: string;
  title: string;
  description: string;
  permission: Permission;
  /** Whether a token that is limited to the ids of addresses may not call it. */
  createsAddresses?: boolean;
  /** It can wait for long. */
  waits?: boolean;
  annotations: Annotations;
  input: Input;
  output?: z.ZodObject;
  run(requested: ToolRequest, input: z.output<Input>): Promise<ToolResult>;
};

/** Type-checks a tool against its own input, then widens it. */
export const defineTool = <Input extends z.ZodObject>(tool: Tool<Input>): Tool => tool;

export const READS: Annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
};

/** Only these are listed for a caller, and only these can be called. */
export const toolsFor = (tools: readonly Tool[], caller: AddressCaller): Tool[] =>
  tools.filter(
    ({ permission, createsAddresses = false }) =>
      may(caller, permission) &&
      !(createsAddresses && caller.limit !== null && 'address_ids' in caller.limit),
  );

/** As `tools/list` shows it. */
export const toolView = ({ name, title, description, annotations, input, output }: Tool) => ({
  name,
  title,
  description,
  inputSchema: z.toJSONSchema(input, { io: 'input' }),
  ...(output && { outputSchema: z.toJSONSchema(output) }),
  annotations: { title, ...annotations },
});
