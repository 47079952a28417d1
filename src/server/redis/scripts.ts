/**
 * A record is a hash: `state`, `call` and `history`, its parts, `version`, `owner` and `summary`. Beside it, the tasks of an owner
 * that are not over are a sorted set by the end of their ttl, the leases one by their ends, and all tasks one by their creation,
 * so that nothing has to be counted or searched.
 *
 * Prefixes of keys are among the keys: a client with a `keyPrefix` adds that to keys alone.
 *
 * KEYS: the record, the owner's tasks, the leases, all tasks, prefix of records. ARGV: id, state, version, owner, expiresAt ('' for
 * never), isOver ('1'), the end of the lease ('' for none), channel, the limit of a creation ('' for none) or the version that a change expects,
 * summary, the time of the creation, then names and values of the other parts, those that have changed.
 */
const WRITE = `
local id, expiresAt = ARGV[1], ARGV[5]
redis.call('HSET', KEYS[1], 'state', ARGV[2], 'version', ARGV[3], 'owner', ARGV[4], 'summary', ARGV[10])
for at = 12, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1]) end
if expiresAt == '' then redis.call('PERSIST', KEYS[1]) else redis.call('PEXPIREAT', KEYS[1], expiresAt) end
if ARGV[6] == '1' then redis.call('ZREM', KEYS[2], id)
else redis.call('ZADD', KEYS[2], expiresAt == '' and '+inf' or expiresAt, id) end
if ARGV[7] == '' then redis.call('ZREM', KEYS[3], id) else redis.call('ZADD', KEYS[3], ARGV[7], id) end`

/** Counts the tasks of an owner that Redis has not expired. */
const count = (key: string): string => `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local count = redis.call('ZCOUNT', ${key}, '(' .. now, '+inf')`

/**
 * 0 where the id is in use, -1 where the owner has as many. Drops what Redis has expired: all tasks of the owner, and of two of all
 * tasks those, so that no more than half of them are of that kind. A command that was sent again, because its response was lost,
 * finds its own record.
 *
 * A Redis that is full refuses the first command that needs memory, but only if nothing was written before. So the record comes first.
 */
export const CREATE: string = `
local there = redis.call('HGET', KEYS[1], 'state')
if there then return there == ARGV[2] and 1 or 0 end${count('KEYS[2]')}
if ARGV[9] ~= '' and count >= tonumber(ARGV[9]) then return -1 end${WRITE}
redis.call('ZADD', KEYS[4], ARGV[11], id)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
for _, other in ipairs(redis.call('ZRANDMEMBER', KEYS[4], 2)) do
  if redis.call('EXISTS', KEYS[5] .. other) == 0 then redis.call('ZREM', KEYS[4], other) end
end
return 1`

/** 0 where the record has another version, or is gone. */
export const TRANSITION: string = `if redis.call('HGET', KEYS[1], 'version') ~= ARGV[9] then return 0 end${WRITE}
redis.call('PUBLISH', ARGV[8], ARGV[3] .. ' ' .. id)
return 1`

/** KEYS: the record, the leases, all tasks, prefix of the sets of owners. ARGV: id. */
export const REMOVE: string = `
local owner = redis.call('HGET', KEYS[1], 'owner')
if owner then redis.call('ZREM', KEYS[4] .. owner, ARGV[1]) end
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
return redis.call('DEL', KEYS[1])`

/** KEYS: the owner's tasks. */
export const COUNT: string = `${count('KEYS[1]')}
return count`

/** KEYS: the leases, prefix of records. ARGV: now, how many. Those whose record has expired are dropped. */
export const LAPSED: string = `
local found = {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])) do
  if redis.call('EXISTS', KEYS[2] .. id) == 1 then table.insert(found, id) else redis.call('ZREM', KEYS[1], id) end
end
return found`

/**
 * KEYS: all tasks, prefix of records. ARGV: the newest creation, how many to leave out, how many. For each, the newest first, the
 * time of its creation and its summary, which is empty where Redis has expired it.
 */
export const LIST: string = `
local found = {}
local ids = redis.call('ZREVRANGEBYSCORE', KEYS[1], ARGV[1], '-inf', 'WITHSCORES', 'LIMIT', ARGV[2], ARGV[3])
for at = 1, #ids, 2 do
  table.insert(found, ids[at + 1])
  table.insert(found, redis.call('HGET', KEYS[2] .. ids[at], 'summary') or '')
end
return found`
