/**
 * What permits an endpoint to read the stored content of an email (D312): its view is recorded where the
 * account asks for that (D279). An endpoint that shows content and says nothing of it does not compile.
 */
declare const permission: unique symbol;

/** Only this file and `recordView` have one; `defineEmailEndpoint` passes it to its endpoint. */
export type View = { readonly [permission]: true };

/** The view is recorded: before the content is read, or before the response is sent. */
export const RECORDED = {} as View;

/** Nobody sees the content: it is signed, delivered or counted, or it is no email. */
export const NOT_SHOWN = {} as View;
