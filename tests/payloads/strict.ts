// Slack's own types for what the bot sends, with `blocks` narrowed: in them any object with a
// `type` passes as a block.
import type { KnownBlock } from '@slack/types';
import type {
  ChatPostEphemeralArguments,
  ChatPostMessageArguments,
  ChatUpdateArguments,
} from '@slack/web-api';

type Strict<T> = T extends { blocks: unknown } ? Omit<T, 'blocks'> & { blocks: KnownBlock[] } : T;
type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

type StrictPost = Strict<ChatPostMessageArguments>;
type StrictUpdate = Strict<ChatUpdateArguments>;
type StrictEphemeral = Strict<ChatPostEphemeralArguments>;
// As Bolt types it: a message without a channel.
type StrictRespond = Without<StrictPost, 'channel'> & {
  response_type?: 'in_channel' | 'ephemeral';
  replace_original?: boolean;
  delete_original?: boolean;
};

// Payloads follow, one a line.
