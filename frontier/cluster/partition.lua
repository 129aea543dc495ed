-- The operations on one partition of a crawl: see doc.go for what is kept under which key. Redis runs each whole or not at all, beside
-- nothing else of its shard. It is a library of functions (Redis 7) and no script, of which all that follows would be made anew
-- at each call: that took 44 of 49 microseconds. Times are microseconds.
local Entries, Hosts, Notes, Ready, Waiting, Domains, ReadyHosts, TimedHosts, ReadyDomains, TimedDomains, Leases, Expiries, Sums,
  Counters, Settings, Marks, Addresses, Families, Parts, PutOff, Turns, Rules, Ranked, Late

-- What an operation is given, and what is kept while it runs: what is to be added to which sum; hosts and domains by name, and the
-- names of those that are to be placed anew at the end, in order; families; and the rules of hosts.
local argv, at
local now, delay, domainDelay, perHost, perDomain, update, share, limit, base, each, most, tooLarge
local sums, hosts, touched, domains, behind, families, covering, ruled, ranked, sweeping

local function arg() at = at + 1; return argv[at] end
local function num() return tonumber(arg()) end

local function begin(keys, args)
  Entries, Hosts, Notes, Ready, Waiting, Domains, ReadyHosts, TimedHosts, ReadyDomains, TimedDomains, Leases, Expiries, Sums,
    Counters, Settings, Marks, Addresses, Families, Parts, PutOff, Turns, Rules, Ranked, Late = unpack(keys)
  argv, at = args, 1
  sums, hosts, touched, domains, behind, families, covering, ruled, ranked, sweeping = {}, {}, {}, {}, {}, {}, {}, nil, nil, nil
  now = num()
  if now == 0 then
    local t = redis.call('TIME')
    now = t[1] * 1000000 + t[2]
  end
  delay, domainDelay, perHost, perDomain, update = num(), num(), num(), num(), arg()
  share, limit = num(), num()
  base, each, most, tooLarge = num(), num(), num(), num()
end

-- An entry is a list; so are the records of hosts, domains and leases below.
local STATE, FLAGS, TRIES, PRIORITY, SCORES, SUM, BEST, HOPS, SEQ, NOTBEFORE, SETTLED, TOKEN, HOST, REASON, URL, LINK, NODE, FAMILY =
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18
local PENDING, FETCHED, FAILED, EXCLUDED, ALIASED, PUTOFF, RETRY, DEFER = 0, 1, 2, 3, 4, 5, 6, 7
local SEED, FORCED, IMMEDIATE, DECISIVE, FRONT, BACKOFF = 1, 2, 4, 8, 16, 32

local function has(flags, flag) return math.floor(flags / flag) % 2 == 1 end
local function set(e, flag, on)
  if has(e[FLAGS], flag) ~= on then e[FLAGS] = e[FLAGS] + (on and flag or -flag) end
end

local function sum(name, n)
  if n ~= 0 then sums[name] = (sums[name] or 0) + n end
end

local function current(name) return (redis.call('HGET', Sums, name) or 0) + (sums[name] or 0) end

local function entry(digest)
  local v = redis.call('HGET', Entries, digest)
  return v and cmsgpack.unpack(v)
end
local function keep(digest, e) redis.call('HSET', Entries, digest, cmsgpack.pack(e)) end

-- Of a host, STILL are its pending URLs that wait because its domain is stopped, and STILLDEFERRED its deferred ones. COUNTED is the number
-- of the last rules whose budgets know of its requests. DRAWABLE are its URLs that wait in families that are not held, BUSY those of them
-- whose families give no more until a lease ends; OUT its drawn URLs that are pending and its deferred ones that are leased, and ASKED
-- its requests for drawn URLs. HEALTH is what package frontier calls so; nil for a host that never refused.
local NUMBER, DOMAIN, DELAY, LASTEND, HNOTBEFORE, IP, REQUESTS, LEASES, TURN, WHERE, POS, HELD, STILL, STILLDEFERRED, DRAWABLE, BUSY, OUT,
  ASKED, COUNTED, HEALTH = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20
local REFUSALS, SINCE, FAILEDAT, SLOW, PEAK, RUN, BACKED = 1, 2, 3, 4, 5, 6, 7
local NOWHERE, READY, TIMED = 0, 1, 2
local NEVER = 2 ^ 53 - 1 -- when a host may be asked whose domain is stopped
-- hasRules tells whether there may be rules, or domains that are too large: what most crawls do without costs them one question.
local function hasRules()
  if ruled == nil then ruled = redis.call('EXISTS', Rules) == 1 end
  return ruled
end
local function newHost(domain)
  local h = {redis.call('HINCRBY', Sums, 'hosts', 1), domain, 0, 0, 0, '', 0, 0, 0, NOWHERE, 0, 0, 0, 0, 0, 0, 0, 0}
  if hasRules() then h[COUNTED] = current('rules') end
  return h
end
local function host(name, domain)
  local h = hosts[name]
  if h then return h end
  local v = redis.call('HGET', Hosts, name)
  if v then
    h = cmsgpack.unpack(v)
  else
    h = newHost(domain)
  end
  hosts[name] = h
  touched[#touched + 1] = name
  return h
end

-- tally counts an entry into the sums, or with -1 out of them. Who changes its state or its lease does so in between.
local function drawn(e) return e[FAMILY] ~= '' and e[STATE] ~= PUTOFF end
local function tally(e, n)
  sum('state' .. e[STATE], n)
  if e[TOKEN] > 0 and e[STATE] == PENDING then sum('leased pending', n) end
  if e[TOKEN] > 0 and e[STATE] == PUTOFF then sum('leased deferred', n) end
end

-- A domain has its leases, the time before which it must not be asked, and where budgets follow from it, how often it was asked, how many
-- others link to it, and whether a seed lies in it. URLS is about how many it has, of
-- those whose digests are among a thousandth of all; APART is 1 once these were too many: then hosts that are new have partitions of their
-- own, each as a domain named after both, and ask here for leave (pass). TOLD is the last time that one of them was told to come again.
-- WAITERS has the times that they were told, by name, OWED is how many of them have their turns before a host that is here, and DHELD is until
-- when such a host waits for the next of them.
-- It has a record only where one of them says something.
local DLEASES, DUE, DREQUESTS, DEGREE, SEEDED, URLS, APART, TOLD, WAITERS, OWED, DHELD = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
local function isApart(name) return string.find(name, '/', 1, true) end
local function readDomain(name)
  local v = redis.call('HGET', Domains, name)
  local d = v and cmsgpack.unpack(v)
  if not d then return {0, 0, 0, 0, 0, 0, 0, 0} end
  if #d == 2 then return {d[1], d[2], 0, 0, 0, 0, 0, 0} end
  return d
end
local function domain(name)
  local d = domains[name]
  if not d then
    d = readDomain(name)
    domains[name] = d
    behind[#behind + 1] = name
  end
  return d
end
local function keepDomain(name, d)
  if d[DREQUESTS] + d[DEGREE] + d[SEEDED] + d[URLS] > 0 then
    redis.call('HSET', Domains, name, cmsgpack.pack(d))
  elseif d[DLEASES] > 0 or d[DUE] > now then
    redis.call('HSET', Domains, name, cmsgpack.pack({d[DLEASES], d[DUE]}))
  else
    redis.call('HDEL', Domains, name)
  end
end

-- A rule of the operator is {number, least wait or -1, budget, priority, whether it is off, whether its budget is used up everywhere}; one
-- that was taken back, its number alone: what comes with a lower one came late.
local RDELAY, BUDGET, RANK, OFF, SPENT = 2, 3, 4, 5, 6
local function hasRanks()
  if ranked == nil then ranked = hasRules() and current('ranks') > 0 end
  return ranked
end

-- namesOf are those of which a rule covers a host, the longest first: host and port, the host, each of its parents.
local function namesOf(hostname)
  local bare = string.match(hostname, '^%[(.*)%]:[^:%]]*$') or string.match(hostname, '^([^:%[%]]*):[^:]*$')
  local names = {bare and hostname}
  local name = bare or hostname
  while name do
    names[#names + 1] = name
    name = string.match(name, '^[^.]*%.(.*)$')
  end
  return names
end

-- rulesFor are the rules that cover a host, the one that counts first, each with its name.
local none = {}
local function rulesFor(hostname)
  if not hasRules() then return none end
  local found = covering[hostname]
  if found then return found end
  found = {}
  local names = namesOf(hostname)
  for i, v in ipairs(redis.call('HMGET', Rules, unpack(names))) do
    local r = v and cmsgpack.unpack(v)
    if r and #r > 1 then
      r.name = names[i]
      found[#found + 1] = r
    end
  end
  covering[hostname] = found
  return found
end

local function floor(hostname)
  if not hasRules() then return delay end
  local r = rulesFor(hostname)[1]
  return r and r[RDELAY] >= 0 and r[RDELAY] or delay
end

local function isSpent(name, d)
  if isApart(name) then return false end -- only those are too large whose seeds are everybody's
  return d[SEEDED] == 0 and d[DREQUESTS] >= base + each * math.min(d[DEGREE], most)
end

-- stops tells whether the operator's rule, or the budget of its domain, keeps the URLs of a host where they are.
local function stops(hostname, domainname)
  if base == 0 and not hasRules() then return false end
  local r = rulesFor(hostname)[1]
  if r and r[OFF] == 1 then return true end
  if r and r[BUDGET] > 0 then return r[SPENT] == 1 or current('asked ' .. r.name) >= r[BUDGET] end
  return base > 0 and isSpent(domainname, domains[domainname] or readDomain(domainname))
end

local function first(key, prefix)
  return redis.call('ZRANGEBYLEX', key, '[' .. prefix, '(' .. prefix .. '\255', 'LIMIT', 0, 1)[1]
end
local function countOf(key, prefix) return redis.call('ZLEXCOUNT', key, '[' .. prefix, '(' .. prefix .. '\255') end
local function add(key, member) redis.call('ZADD', key, 0, member) end

-- Members of the queues. A host's ready URLs are in the order of rank, priority and age, those that back off in that
-- of their times and age.
local function rank(e)
  if has(e[FLAGS], FRONT) or drawn(e) then return 0 end
  return has(e[FLAGS], IMMEDIATE) and 1 or 2
end
local function worthOf(e) return 2199023255552 - e[PRIORITY] end -- the higher the priority, the less
local function queued(e, h, digest)
  local prefix = struct.pack('>I4', h[NUMBER])
  if has(e[FLAGS], BACKOFF) then return Waiting, prefix .. struct.pack('>I8I6', e[NOTBEFORE], e[SEQ]) .. digest end
  return Ready, prefix .. struct.pack('>BI6I6', rank(e), worthOf(e), e[SEQ]) .. digest
end
local function enqueue(e, digest) add(queued(e, host(e[HOST]), digest)) end
local function dequeue(e, digest) redis.call('ZREM', queued(e, host(e[HOST]), digest)) end
local function dueOf(member) return (struct.unpack('>I8', member, 5)) end

-- Hosts are in the order of their turns or of the times when they are due, each within its domain.
local function seat(d, pos, name) return d .. '\0' .. struct.pack('>I7', pos) .. name end
local function posOf(member, d) return (struct.unpack('>I7', member, #d + 2)) end
local function unseat(name, h)
  if h[WHERE] ~= NOWHERE then
    redis.call('ZREM', h[WHERE] == READY and ReadyHosts or TimedHosts, seat(h[DOMAIN], h[POS], name))
    h[WHERE] = NOWHERE
  end
end
local function takeSeat(name, h, where, pos)
  h[WHERE], h[POS] = where, pos
  add(where == READY and ReadyHosts or TimedHosts, seat(h[DOMAIN], pos, name))
end

-- Ready hosts come by the priority of the rule that counts, up to 4,000 above or below 0, and then by their turns.
local function order(name, h)
  local r = hasRanks() and rulesFor(name)[1]
  return (4096 - (r and math.max(-4000, math.min(4000, r[RANK])) or 0)) * 2 ^ 40 + h[TURN]
end
local function isAbove(pos) return pos < 4096 * 2 ^ 40 end -- with a priority above 0

local function nextTurn(h)
  if h[TURN] == 0 then sum('active', 1) end
  h[TURN] = redis.call('HINCRBY', Sums, 'turns', 1)
end

-- slow is the least wait that refusals taught.
local function slow(h) return h[HEALTH] and h[HEALTH][SLOW] or 0 end

-- pace is when a host may be asked.
local function pace(name, h)
  local due = math.max(h[HNOTBEFORE], h[HELD])
  if h[LASTEND] > 0 and h[LASTEND] <= now then due = math.max(due, h[LASTEND] + math.max(floor(name), h[DELAY], slow(h))) end
  return due
end

-- The rules of package frontier's health.go, which also says why the numbers are these.
local RECOVERY, LEASTSLOW, MOSTSLOW, LONGESTGAP, STALE = 200, 10000, 60000000, 1000000, 600000000
local SERVES, REFUSES, FAILS = 1, 2, 3
local rateless = -1

-- health is the HEALTH of a host as far as it still says something; nil for none.
local function health(h)
  local x = h[HEALTH]
  if x and x[REFUSALS] > 0 and now - math.max(h[LASTEND], h[HNOTBEFORE]) > STALE then x[REFUSALS], x[SINCE] = 0, 0 end
  return x
end

local function backOff(x, least)
  local base, most = math.max(x[SLOW], least, LEASTSLOW), math.max(MOSTSLOW, 4 * least)
  local served = 2 * base
  if x[BACKED] > 0 then served = math.floor((now - x[BACKED]) / (x[RUN] + 1)) end
  local wait = math.min(most, 2 * base, math.max(math.floor(base * 6 / 5), served))
  if base >= most then return {0, 0, 0, 0, rateless, 0, now} end
  return {0, 0, 0, wait, wait, 0, now}
end

local function serve(x, least)
  if x[REFUSALS] > 0 then
    if x[PEAK] ~= rateless then return backOff(x, least) end
    x[REFUSALS], x[SINCE] = 0, 0
  elseif x[PEAK] ~= 0 then
    if x[PEAK] ~= rateless then x[SLOW] = math.max(0, x[SLOW] - math.floor(x[PEAK] / RECOVERY)) end
    x[RUN] = x[RUN] + 1
    if x[RUN] >= RECOVERY then return nil end
  end
  return x
end

-- reply updates the health of a host after an exchange; gap is the interval between its last two requests.
local function reply(h, said, gap, least)
  local x = health(h)
  if x then x[FAILEDAT] = 0 end
  if said == SERVES then
    if x then h[HEALTH] = serve(x, least) end
    return
  end
  x = x or {0, 0, 0, 0, 0, 0, 0}
  if said == REFUSES then
    if x[REFUSALS] == 0 then
      x[SINCE] = now
      if x[PEAK] ~= rateless then x[SLOW] = math.max(x[SLOW], gap) end
    end
    x[REFUSALS] = x[REFUSALS] + 1
  else
    x[REFUSALS], x[SINCE], x[FAILEDAT] = 0, 0, now
  end
  h[COUNTED], h[HEALTH] = h[COUNTED] or 0, x
end

-- told returns the health of a host for a lease: refusals, age of the first one, age of the failure (-1: never), SLOW.
local function told(h)
  local x = health(h)
  if not x then return {} end
  return {x[REFUSALS], x[SINCE] > 0 and now - x[SINCE] or -1, x[FAILEDAT] > 0 and now - x[FAILEDAT] or -1, x[SLOW]}
end

local function placeHost(name)
  local h = hosts[name]
  unseat(name, h)
  local prefix = struct.pack('>I4', h[NUMBER])
  local ready, waiting, draws = first(Ready, prefix), first(Waiting, prefix), h[DRAWABLE] > h[BUSY]
  local still, stillDeferred = 0, 0
  if ready or waiting or h[DRAWABLE] > 0 then
    if h[TURN] == 0 then nextTurn(h) end
    if stops(name, h[DOMAIN]) then
      takeSeat(name, h, TIMED, NEVER)
      still, stillDeferred = countOf(Ready, prefix) + countOf(Waiting, prefix), h[DRAWABLE]
    elseif h[LEASES] < perHost and (ready or waiting or draws) then
      local due = pace(name, h)
      if not ready and not draws then due = math.max(due, dueOf(waiting)) end
      if due > now then takeSeat(name, h, TIMED, due) else takeSeat(name, h, READY, order(name, h)) end
    end
  elseif h[LEASES] == 0 and h[TURN] > 0 then
    h[TURN] = 0 -- it is forgotten until it has URLs again
    sum('active', -1)
  end
  sum('stopped', still - h[STILL])
  sum('stopped deferred', stillDeferred - h[STILLDEFERRED])
  h[STILL], h[STILLDEFERRED] = still, stillDeferred
  domain(h[DOMAIN])
  redis.call('HSET', Hosts, name, cmsgpack.pack(h))
end

-- placeAbove notes when a domain has a host whose priority is above 0, so that nodes ask for it first. Of those that wait the first counts.
local function placeAbove(name, d, ready, timed)
  local due
  if ready and isAbove(posOf(ready, name)) then
    due = d[DUE]
  elseif timed then
    local r = rulesFor(string.sub(timed, #name + 9))[1]
    if r and r[RANK] > 0 then due = math.max(d[DUE], posOf(timed, name)) end
  end
  if due and d[DLEASES] < perDomain then
    redis.call('ZADD', Ranked, due, name)
  else
    redis.call('ZREM', Ranked, name)
  end
end

local function placeDomain(name)
  local d = domains[name]
  redis.call('ZREM', ReadyDomains, name)
  redis.call('ZREM', TimedDomains, name)
  keepDomain(name, d)
  local prefix = name .. '\0'
  local timed = first(TimedHosts, prefix)
  while timed and posOf(timed, name) <= now do
    local hostname = string.sub(timed, #prefix + 8)
    local h = hosts[hostname] or cmsgpack.unpack(redis.call('HGET', Hosts, hostname))
    unseat(hostname, h)
    takeSeat(hostname, h, READY, order(hostname, h))
    redis.call('HSET', Hosts, hostname, cmsgpack.pack(h))
    timed = first(TimedHosts, prefix)
  end
  if timed and posOf(timed, name) == NEVER then timed = nil end
  local ready = first(ReadyHosts, prefix)
  if hasRanks() then placeAbove(name, d, ready, timed) end
  if d[DLEASES] >= perDomain then return end -- it comes again when a lease ends
  local due = math.max(d[DUE], d[DHELD] or 0)
  if due > now then
    if ready or timed then redis.call('ZADD', TimedDomains, due, name) end
  else
    if ready then redis.call('ZADD', ReadyDomains, posOf(ready, name), name) end
    if timed then redis.call('ZADD', TimedDomains, posOf(timed, name), name) end -- whose turn may be before that of the ready one
  end
end

-- A sweep places hosts anew when what holds for many of them has changed: so many at a time, since nobody else is served meanwhile, with
-- each take until all are done. Until then who leases looks at what holds. It is {place among the hosts, whether there is another round,
-- number of the rules, names that it is about, or one "" for all, whether requests are to be counted first}.
local atOnce = 50
local CURSOR, AGAIN, RULED, ABOUT, COUNTS = 1, 2, 3, 4, 5
local function readSweep()
  local v = hasRules() and redis.call('HGET', Rules, ' sweep')
  return v and cmsgpack.unpack(v)
end
local function keepSweep(s) redis.call('HSET', Rules, ' sweep', cmsgpack.pack(s)) end
local function sweep(names, number)
  local s = readSweep()
  if not s then
    s = {'0', 0, 0, {}, 0}
    sum('sweeping', 1)
  end
  local about = 0
  for name in pairs(names) do s[ABOUT][name] = 1 end
  for _ in pairs(s[ABOUT]) do about = about + 1 end
  if about > 2 * atOnce then s[ABOUT] = {[''] = 1} end
  if number then
    s[CURSOR], s[AGAIN], s[RULED], s[COUNTS] = '0', 0, number, 1
  elseif s[CURSOR] ~= '0' or s[COUNTS] == 1 then
    s[AGAIN] = 1
  end
  ruled, sweeping = true, true
  keepSweep(s)
end

local function isAbout(names, hostname)
  if names[''] then return true end
  for _, name in ipairs(namesOf(hostname)) do
    if names[name] then return true end
  end
end

-- countBefore counts what a host was asked before for the budgets of new rules.
local function countBefore(name, h, number)
  local counted = h[COUNTED] or 0
  if counted >= number then return end
  for _, r in ipairs(rulesFor(name)) do
    if r[BUDGET] > 0 and r[1] > counted then sum('asked ' .. r.name, h[REQUESTS]) end
  end
  h[COUNTED] = number
  redis.call('HSET', Hosts, name, cmsgpack.pack(h))
end

-- sweepOn goes on with a sweep, when no host is kept yet.
local function sweepOn()
  local s = readSweep()
  sweeping = s and true
  if not s then return end
  local looked, did = 0, 0
  repeat
    local step = redis.call('HSCAN', Hosts, s[CURSOR], 'COUNT', atOnce)
    for i = 1, #step[2], 2 do
      local name = step[2][i]
      looked = looked + 1
      if isAbout(s[ABOUT], name) then
        did = did + 1
        local h = cmsgpack.unpack(step[2][i + 1])
        if s[COUNTS] == 1 then
          countBefore(name, h, s[RULED])
        elseif h[TURN] > 0 then
          host(name)
        end
      end
    end
    s[CURSOR] = step[1]
    if s[CURSOR] == '0' then
      if s[COUNTS] == 1 then
        s[COUNTS], s[AGAIN] = 0, 0
      elseif s[AGAIN] == 1 then
        s[AGAIN] = 0
      else
        redis.call('HDEL', Rules, ' sweep')
        sum('sweeping', -1)
        sweeping = false
        return
      end
    end
  until did >= atOnce or looked >= 10 * atOnce
  keepSweep(s)
end

-- touchSeats places those of the hosts of a domain anew that have URLs, from a position on. Hosts without URLs are placed when they have
-- some.
local function touchSeats(domainname, from)
  local prefix = domainname .. '\0'
  local low, high = '[' .. prefix .. struct.pack('>I7', from), '(' .. prefix .. '\255'
  if redis.call('ZLEXCOUNT', ReadyHosts, low, high) + redis.call('ZLEXCOUNT', TimedHosts, low, high) > atOnce then
    sweep({[domainname] = 1})
    return
  end
  for _, key in ipairs({ReadyHosts, TimedHosts}) do
    for _, member in ipairs(redis.call('ZRANGEBYLEX', key, low, high)) do host(string.sub(member, #prefix + 8)) end
  end
  if domain(domainname)[DLEASES] == 0 then return end
  for _, v in ipairs(redis.call('HVALS', Leases)) do -- whose hosts may have as many as they may, and no seat
    local name = cmsgpack.unpack(v)[2]
    if name ~= '' and string.find(name, domainname, 1, true) then host(name) end
  end
end

local function settleHosts()
  for _, name in ipairs(touched) do placeHost(name) end
  for _, name in ipairs(behind) do placeDomain(name) end
  hosts, touched, domains, behind = {}, {}, {}, {}
end

-- A family is {number, note, closed, waiting, drawn, added, leased}: what it was given besides is not kept. Leased are those of the waiting
-- ones that are. Its part on a host is {URLs that wait and are not leased, drawn ones}, of which the drawn ones are kept. A part has a turn on
-- its host while it may be drawn from. See package frontier, whose families these are.
local FNUMBER, NOTE, CLOSED, WAITING, DRAWN, ADDED, LEASED = 1, 2, 3, 4, 5, 6, 7

local function isHeld(f) return f[CLOSED] == 1 or limit > 0 and f[DRAWN] >= limit + f[ADDED] end
local function isShut(f) return f[CLOSED] == 1 or limit > 0 and f[DRAWN] + f[LEASED] >= limit + f[ADDED] end

local function family(name)
  local f = families[name]
  if f then return f end
  local v = redis.call('HGET', Families, name)
  f = v and cmsgpack.unpack(v) or {redis.call('HINCRBY', Sums, 'families', 1), '', 0, 0, 0, 0, 0}
  f.parts, f.held, f.shut, f.wasHeld, f.counted = {}, isHeld(f), isShut(f), isHeld(f), isHeld(f) and f[WAITING] or 0
  families[name] = f
  return f
end

local function partOf(f, hostname) return struct.pack('>I4', f[FNUMBER]) .. hostname .. '\0' end
local function waitingIn(f, e, digest) return partOf(f, e[HOST]) .. struct.pack('>I6', e[SEQ]) .. digest end
local function turnOf(h, f, drawn, name) return struct.pack('>I4I6I4', h[NUMBER], drawn, f[FNUMBER]) .. name end

-- part is what a family has on a host: seated says whether it has its turn for that, counted and busy how many of them its host counts.
local function part(f, hostname)
  local p = f.parts[hostname]
  if p then return p end
  local prefix = partOf(f, hostname)
  p = {waiting = countOf(PutOff, prefix), drawn = tonumber(redis.call('HGET', Parts, prefix) or 0)}
  p.kept, p.seated = p.drawn, not f.shut and p.waiting > 0
  p.counted = f.held and 0 or p.waiting
  p.busy = f.shut and p.counted or 0
  f.parts[hostname] = p
  return p
end

-- hostsOf are the hosts on which URLs wait in a family, in the order of their names.
local function hostsOf(f)
  local found, prefix = {}, struct.pack('>I4', f[FNUMBER])
  local from = '[' .. prefix
  while true do
    local member = redis.call('ZRANGEBYLEX', PutOff, from, '(' .. prefix .. '\255', 'LIMIT', 0, 1)[1]
    if not member then return found end
    local hostname = string.sub(member, 5, string.find(member, '\0', 5, true) - 1)
    found[#found + 1] = hostname
    from = '(' .. partOf(f, hostname) .. '\255'
  end
end

-- moved lets the hosts of a family that was changed be placed anew if it gives no more URLs, or some again.
local function moved(f)
  local held, shut = isHeld(f), isShut(f)
  if held == f.held and shut == f.shut then return end
  for _, hostname in ipairs(hostsOf(f)) do
    part(f, hostname)
    if f.held and not held then host(hostname) end -- it may be new in the ring
  end
  f.held, f.shut = held, shut
end

-- count changes how many URLs of a family wait on a host and are not leased, and how many were drawn there.
local function countPart(f, hostname, waiting, drawn)
  local p = part(f, hostname)
  p.waiting, p.drawn, f[DRAWN] = p.waiting + waiting, p.drawn + drawn, f[DRAWN] + drawn
  if not f.held then host(hostname) end
  moved(f)
end

local function settlePart(name, f, hostname, p)
  local seated = not f.shut and p.waiting > 0
  local counted = f.held and 0 or p.waiting
  local busy = f.shut and counted or 0
  if p.drawn ~= p.kept then
    if p.drawn == 0 then
      redis.call('HDEL', Parts, partOf(f, hostname))
    else
      redis.call('HSET', Parts, partOf(f, hostname), p.drawn)
    end
  end
  if seated == p.seated and p.drawn == p.kept and counted == p.counted and busy == p.busy then return end
  local h = host(hostname)
  if p.seated then redis.call('ZREM', Turns, turnOf(h, f, p.kept, name)) end
  if seated then add(Turns, turnOf(h, f, p.drawn, name)) end
  h[DRAWABLE], h[BUSY] = h[DRAWABLE] + counted - p.counted, h[BUSY] + busy - p.busy
  sum('drawable', counted - p.counted)
end

local function settleFamilies()
  for name, f in pairs(families) do
    sum('held', (f.held and f[WAITING] or 0) - f.counted)
    for hostname, p in pairs(f.parts) do settlePart(name, f, hostname, p) end
    if f[WAITING] + f[DRAWN] + f[ADDED] == 0 and f[NOTE] == '' and f[CLOSED] == 0 then
      redis.call('HDEL', Families, name)
    else
      redis.call('HSET', Families, name, cmsgpack.pack({f[1], f[2], f[3], f[4], f[5], f[6], f[7]}))
    end
  end
  families = {}
end

-- postpone lets an entry that is in no queue wait in its family; resume ends that, and counts it as drawn or not.
local function postpone(digest, e)
  local f = family(e[FAMILY])
  e[STATE] = PUTOFF
  f[WAITING] = f[WAITING] + 1
  part(f, e[HOST])
  add(PutOff, waitingIn(f, e, digest))
  countPart(f, e[HOST], 1, 0)
end
local function resume(digest, e, drawn)
  local f = family(e[FAMILY])
  f[WAITING] = f[WAITING] - 1
  part(f, e[HOST])
  if e[TOKEN] > 0 then
    f[LEASED] = f[LEASED] - 1
    countPart(f, e[HOST], 0, drawn)
    if drawn == 0 then
      local h = host(e[HOST])
      h[OUT] = h[OUT] - 1
    end
    return
  end
  redis.call('ZREM', PutOff, waitingIn(f, e, digest))
  countPart(f, e[HOST], -1, drawn)
end

-- undraw notes that a drawn URL is not pending any more.
local function undraw(e, back)
  local h = host(e[HOST])
  h[OUT] = h[OUT] - 1
  if back then countPart(family(e[FAMILY]), e[HOST], 0, -1) end
end

-- lend notes that a URL that waits in its family is leased, or with -1 that it is no longer.
local function lend(digest, e, n)
  local f, h = family(e[FAMILY]), host(e[HOST])
  part(f, e[HOST])
  f[LEASED], h[OUT] = f[LEASED] + n, h[OUT] + n
  if n > 0 then
    redis.call('ZREM', PutOff, waitingIn(f, e, digest))
  else
    add(PutOff, waitingIn(f, e, digest))
  end
  countPart(f, e[HOST], -n, 0)
end

local function finish()
  settleFamilies()
  settleHosts()
  if sweeping then
    sweepOn()
    settleHosts()
  end
  sum('version', 1)
  for name, n in pairs(sums) do
    if n ~= 0 then redis.call('HINCRBY', Sums, name, n) end
  end
end

local function bounded(priority) return math.max(-1099511627776, math.min(1099511627776, priority)) end

-- score gives an entry one more priority and tells whether that is the highest so far; see Update in package frontier.
local function score(e, priority, decisive)
  if e[SCORES] == 0 or decisive then
    e[SCORES], e[SUM], e[BEST], e[PRIORITY] = 1, priority, priority, priority
    return true
  end
  local highest = priority > e[BEST]
  e[SCORES], e[SUM], e[BEST] = e[SCORES] + 1, bounded(e[SUM] + priority), math.max(e[BEST], priority)
  if update == 'max' then
    e[PRIORITY] = e[BEST]
  elseif update == 'last' then
    e[PRIORITY] = priority
  elseif update == 'avg' then
    local mean = e[SUM] / e[SCORES]
    e[PRIORITY] = mean < 0 and math.ceil(mean) or math.floor(mean)
  elseif update == 'sum' then
    e[PRIORITY] = e[SUM]
  end
  return highest
end

-- improve takes into an entry what a further link to it says, and tells whether that changes it.
local function improve(e, priority, flags, hops, url)
  local scores, total, was, immediate, far = e[SCORES], e[SUM], e[PRIORITY], has(e[FLAGS], IMMEDIATE), e[HOPS]
  local highest = score(e, priority, has(flags, DECISIVE))
  if update ~= 'avg' and update ~= 'sum' and not highest then e[SCORES], e[SUM] = scores, total end -- nobody asks for them
  e[HOPS] = math.min(e[HOPS], hops)
  if has(flags, IMMEDIATE) then set(e, IMMEDIATE, true) end
  if highest then e[LINK] = url end
  return highest or e[SCORES] ~= scores or e[PRIORITY] ~= was or e[HOPS] ~= far or has(e[FLAGS], IMMEDIATE) ~= immediate
end

-- raise is improve for a pending URL, which may come to another place.
local function raise(digest, e, priority, flags, hops, url)
  local member, queue
  local free = e[TOKEN] <= 0
  if free then queue, member = queued(e, host(e[HOST]), digest) end
  if not improve(e, priority, flags, hops, url) then return end -- as most links
  if free then
    local place, renewed = queued(e, host(e[HOST]), digest)
    if renewed ~= member then
      redis.call('ZREM', queue, member)
      add(place, renewed)
    end
  end
  keep(digest, e)
end

local function create(state, flags, priority, scores, hops, hostname, reason, url, familyname)
  local seq = redis.call('HINCRBY', Sums, 'seq', 1)
  local e = {state, flags, 0, priority, scores, priority, priority, hops, seq, 0, 0, 0, hostname, reason, url, '', '', familyname}
  set(e, DECISIVE, false)
  if state ~= PENDING and state ~= PUTOFF then e[SETTLED] = now end
  tally(e, 1)
  return e
end

-- vouch schedules a URL that is put off because somebody names it who does not put it off.
local function vouch(digest, e, priority, flags, hops, url)
  tally(e, -1)
  resume(digest, e, 0)
  e[STATE], e[FAMILY] = PENDING, ''
  if has(flags, SEED) then set(e, SEED, true) end
  if has(flags, FORCED) then set(e, FORCED, true) end
  improve(e, priority, flags, hops, url)
  tally(e, 1)
  if e[TOKEN] <= 0 then enqueue(e, digest) end -- else when its lease ends
  keep(digest, e)
end

-- notice takes from a link what it says about the domain that it leads to, if budgets follow from that.
local function notice(name, from, seed)
  if isApart(name) then return end
  local d = domain(name)
  if seed and d[SEEDED] == 0 then
    d[SEEDED] = 1
    touchSeats(name, NEVER) -- its budget has grown
  end
  if from == '' or from == name or d[DEGREE] >= most or redis.call('HSETNX', Domains, name .. '\0' .. from, '') == 0 then return end
  d[DEGREE] = d[DEGREE] + 1
  touchSeats(name, NEVER)
end

-- inhabit makes a host one of those that are here, so that it stays when its domain has become too large.
local function inhabit(hostname, domainname)
  if hostname ~= '' and not hosts[hostname] and redis.call('HEXISTS', Hosts, hostname) == 0 then
    redis.call('HSET', Hosts, hostname, cmsgpack.pack(newHost(domainname)))
  end
end

-- countURL counts a new URL of a domain, which may have too many then. One under a budget by in-degree is asked too seldom for that.
local function countURL(digest, name)
  local many = tooLarge >= 2 ^ 20
  if tooLarge == 0 or isApart(name) or many and (string.byte(digest, 1) > 0 or string.byte(digest, 2) >= 64) then return end
  local d = domain(name)
  d[URLS] = d[URLS] + (many and 1024 or 1)
  if d[URLS] > tooLarge and d[APART] == 0 and (base == 0 or d[SEEDED] == 1) then
    d[APART] = 1
    sum('too large', 1)
    redis.call('HSET', Rules, '', cmsgpack.pack({0})) -- no rule, but something to look at, see hasRules
  end
end

-- goers are the hosts of what is to be changed that are not here: new ones of domains that are too large.
local function goers()
  if not hasRules() or current('too large') == 0 then return none end
  local found, seen, from = {}, {}, at
  local function look(hostname, domainname)
    if hostname == '' or seen[hostname] or isApart(domainname) then return end
    seen[hostname] = true
    if (domains[domainname] or readDomain(domainname))[APART] == 1 and redis.call('HEXISTS', Hosts, hostname) == 0 then
      found[#found + 1] = hostname
    end
  end
  for _ = 1, num() do -- aliases
    at = at + 3
    look(arg(), arg())
  end
  for _ = 1, num() do -- exclusions
    at = at + 7
    look(arg(), arg())
  end
  local n = num()
  at = at + 1
  for _ = 1, n do -- links
    at = at + 1
    look(arg(), arg())
    at = at + 6
  end
  at = from
  return found
end

-- addURLs takes links in and returns how many were of URLs that were not known.
local function addURLs()
  local added = 0
  local n, from = num(), arg() -- the domain that the links are of
  for _ = 1, n do
    local digest, hostname, domainname = arg(), arg(), arg()
    local priority, flags, hops, url, problem = bounded(num()), num(), num(), arg(), arg()
    local familyname = arg()
    if base > 0 and problem == '' then notice(domainname, from, has(flags, SEED)) end
    local e = entry(digest)
    if e and e[STATE] == PUTOFF then
      if familyname == '' then vouch(digest, e, priority, flags, hops, url) end
    elseif e then
      if e[STATE] == PENDING then raise(digest, e, priority, flags, hops, url) end
    elseif problem ~= '' then
      keep(digest, create(EXCLUDED, flags, priority, 1, hops, '', problem, url, ''))
    else
      e = create(familyname == '' and PENDING or PUTOFF, flags, priority, 1, hops, hostname, '', url, familyname)
      if familyname == '' then
        host(hostname, domainname)
        enqueue(e, digest)
      else
        inhabit(hostname, domainname) -- it gets its turn when it may be asked for something
        postpone(digest, e)
      end
      keep(digest, e)
      countURL(digest, domainname)
      added = added + 1
    end
  end
  return added
end

-- close gives an entry its final state; leased ones are in no queue, and their lease ends by itself.
local function close(digest, e, state, reason)
  tally(e, -1)
  if e[STATE] == PUTOFF then
    resume(digest, e, 0)
    e[FAMILY] = ''
  else
    if e[TOKEN] <= 0 then dequeue(e, digest) end
    if drawn(e) then undraw(e) end
  end
  e[STATE], e[SETTLED], e[REASON], e[NOTBEFORE] = state, now, reason, 0
  set(e, FRONT, false)
  set(e, BACKOFF, false)
  tally(e, 1)
  keep(digest, e)
end

-- excludeURLs keeps URLs out, each of which may add one to a counter, and returns how many were not settled before.
local function excludeURLs()
  local excluded = 0
  for _ = 1, num() do
    local digest, url, reason, counter, flags, priority, hops = arg(), arg(), arg(), arg(), num(), num(), num()
    local hostname, domainname = arg(), arg()
    local e = entry(digest)
    local does = not e or e[STATE] == PENDING or e[STATE] == PUTOFF
    if not e then
      keep(digest, create(EXCLUDED, flags, priority, 0, hops, '', reason, url, ''))
      inhabit(hostname, domainname)
    elseif does then
      close(digest, e, EXCLUDED, reason)
    end
    if does then
      excluded = excluded + 1
      if counter ~= '' then redis.call('HINCRBY', Counters, counter, 1) end
    end
  end
  return excluded
end

-- aliasURLs settles keys that a capture of another one satisfies.
local function aliasURLs()
  for _ = 1, num() do
    local digest, url, reason, hostname, domainname = arg(), arg(), arg(), arg(), arg()
    local e = entry(digest)
    if not e then
      keep(digest, create(ALIASED, 0, 0, 0, 0, '', reason, url, ''))
      inhabit(hostname, domainname)
    elseif e[STATE] == PENDING or e[STATE] == PUTOFF then
      close(digest, e, ALIASED, reason)
    end
  end
end

local function markObjects()
  for _ = 1, num() do
    local digest, counter, mark = arg(), arg(), arg()
    if redis.call('HSETNX', Marks, digest, mark) == 1 then redis.call('HINCRBY', Counters, counter, 1) end
  end
end

local function putSettings()
  for _ = 1, num() do
    local key, there, value = arg(), arg(), arg()
    if there == '1' then redis.call('HSET', Settings, key, value) else redis.call('HDEL', Settings, key) end
  end
end

local function count(n)
  for _ = 1, n or num() do
    local name, n = arg(), arg()
    redis.call('HINCRBY', Counters, name, n)
  end
end

local function changeFamilies()
  for _ = 1, num() do
    local name, noted, note, closed = arg(), arg(), arg(), arg()
    local f = family(name)
    if noted == '1' then f[NOTE] = note end
    if closed ~= '' then f[CLOSED] = tonumber(closed) end
    moved(f)
  end
end

-- keepLate keeps changes for partitions whose servers do not answer.
local function keepLate()
  for _ = 1, num() do
    local name, changes = arg(), arg()
    sum('late', redis.call('HSETNX', Late, name, changes))
  end
end

-- amend is what of an outcome concerns no lease.
local function amend()
  aliasURLs()
  local excluded = excludeURLs()
  local added = addURLs()
  putSettings()
  count()
  changeFamilies()
  markObjects()
  keepLate()
  return added, excluded
end

-- A lease is {digest, host, node, turn that the host had, whether the URL was drawn}. Its token is what it is settled by: of two leases of
-- one URL the later one has the greater. One that a host elsewhere has of its domain is {'', '', node, 0, 0, domain}.
local function unlease(token)
  local v = redis.call('HGET', Leases, token)
  if not v then return nil end
  redis.call('HDEL', Leases, token)
  redis.call('ZREM', Expiries, token)
  sum('leases', -1)
  local l = cmsgpack.unpack(v)
  local h = host(l[2])
  h[LEASES] = h[LEASES] - 1
  local d = domain(h[DOMAIN])
  d[1] = d[1] - 1
  local e = entry(l[1])
  return l, e, h, d
end

-- free makes the entry of a lease that ended pending again.
local function free(token, l, e, ended)
  if e[TOKEN] ~= token then return end
  tally(e, -1)
  e[TOKEN] = ended
  tally(e, 1)
  if e[STATE] == PENDING then enqueue(e, l[1]) end
  if e[STATE] == PUTOFF then lend(l[1], e, -1) end
  keep(l[1], e)
end

-- owe lets hosts of a domain that are elsewhere have their turns before those that are here, as long as they come in time.
local function owe(d, turns, wait)
  d[OWED] = turns
  d[DHELD] = turns >= 1 and d[DUE] + math.max(wait / 2, 20000) or 0
end

-- shareTurns is for when a host that is here had its turn: each of those that wait elsewhere is to have as many as each that is here.
local function shareTurns(d, name, wait)
  local waiting, prefix = 0, name .. '\0'
  for other, told in pairs(d[WAITERS] or none) do
    if told < now - 2 * math.max(wait, 1000000) then d[WAITERS][other] = nil else waiting = waiting + 1 end
  end
  local here = 1 + countOf(ReadyHosts, prefix) + countOf(TimedHosts, prefix)
  owe(d, math.min(waiting, (d[OWED] or 0) + waiting / here), wait)
end

local function asked(name, h, d)
  h[LASTEND] = now
  local wait = math.min(domainDelay, floor(name))
  d[DUE] = math.max(d[DUE], now + wait)
  if d[APART] == 1 then shareTurns(d, h[DOMAIN], wait) end
end

-- countRequest counts a request to a host for the budgets, and stops those whose it has used up.
local function countRequest(name, h, d)
  h[REQUESTS] = h[REQUESTS] + 1
  if base > 0 then
    local was = isSpent(h[DOMAIN], d)
    d[DREQUESTS] = d[DREQUESTS] + 1
    if isSpent(h[DOMAIN], d) ~= was then touchSeats(h[DOMAIN], 0) end
  end
  if not hasRules() then return end
  for _, r in ipairs(rulesFor(name)) do
    if r[BUDGET] > 0 and r[1] <= (h[COUNTED] or 0) then -- else all that it was asked will be counted
      sum('asked ' .. r.name, 1)
      if current('asked ' .. r.name) == r[BUDGET] then sweep({[r.name] = 1}) end
    end
  end
end

-- depart ends what a host elsewhere has of its domain.
local function depart(token, name)
  redis.call('HDEL', Leases, token)
  redis.call('ZREM', Expiries, token)
  local d = domain(name)
  d[DLEASES] = d[DLEASES] - 1
  return d
end

-- expire ends the leases that were not renewed: a request may have been under way.
local function expire()
  for _, token in ipairs(redis.call('ZRANGEBYSCORE', Expiries, '-inf', now, 'LIMIT', 0, 200)) do
    if not tonumber(token) then -- of an amendment
      redis.call('ZREM', Expiries, token)
    else
      local elsewhere = cmsgpack.unpack(redis.call('HGET', Leases, token))[6]
      if elsewhere then
        local d = depart(token, elsewhere)
        d[DUE] = math.max(d[DUE], now + math.min(domainDelay, delay))
      else
        local l, e, h, d = unlease(token)
        asked(l[2], h, d)
        free(tonumber(token), l, e, 0)
        sum('expired', 1)
      end
    end
  end
end

-- before tells whether a member of the ready queue comes before an entry.
local function before(ready, e)
  local r, worth, seq = struct.unpack('>BI6I6', ready, 5)
  if r ~= rank(e) then return r < rank(e) end
  if worth ~= worthOf(e) then return worth < worthOf(e) end
  return seq < e[SEQ]
end

-- scheduled is the member of a host's queues that comes first and is due, with its digest and rank.
local function scheduled(h)
  local prefix = struct.pack('>I4', h[NUMBER])
  local ready, waiting = first(Ready, prefix), first(Waiting, prefix)
  if waiting and dueOf(waiting) <= now then
    local digest = string.sub(waiting, 19)
    local e = entry(digest)
    if not ready or not before(ready, e) then return Waiting, waiting, digest, rank(e) end
  end
  if ready then return Ready, ready, string.sub(ready, 18), string.byte(ready, 5) end
end

-- front is scheduled, or in its place the URL of a family: where nothing is scheduled and due, or by the share of the host.
local function front(hostname, h)
  local queue, member, digest, rank = scheduled(h)
  if h[DRAWABLE] <= h[BUSY] or rank == 0 then return queue, member, digest end
  local drawn = h[OUT] + 1 -- if all that are drawn were requested now
  if member and h[ASKED] + drawn > share * (h[REQUESTS] + drawn) then return queue, member, digest end
  local turn = first(Turns, struct.pack('>I4', h[NUMBER]))
  if not turn then return end
  local found = first(PutOff, string.sub(turn, 11, 14) .. hostname .. '\0')
  return PutOff, found, found and string.sub(found, -16)
end

-- isLate tells whether the first host of a domain is not to be asked now, as a sweep will find, and places it.
local function isLate(name)
  local hostname = string.sub(first(ReadyHosts, name .. '\0'), #name + 9)
  local h = host(hostname)
  return stops(hostname, h[DOMAIN]) or pace(hostname, h) > now
end

local function lease(name, node, life)
  local d = domain(name)
  local seated = first(ReadyHosts, name .. '\0')
  local hostname = string.sub(seated, #name + 9)
  local h = host(hostname)
  local queue, member, digest = front(hostname, h)
  if not member then return redis.error_reply('CORRUPT ' .. hostname .. ' has its turn and no URL') end
  local token = redis.call('HINCRBY', Sums, 'tokens', 1)
  local e = entry(digest)
  if queue == PutOff then lend(digest, e, 1) else redis.call('ZREM', queue, member) end
  tally(e, -1)
  e[TOKEN] = token
  tally(e, 1)
  keep(digest, e)
  redis.call('HSET', Leases, token, cmsgpack.pack({digest, hostname, node, h[TURN], e[FAMILY] ~= '' and 1 or 0}))
  redis.call('ZADD', Expiries, now + life, token)
  sum('leases', 1)
  h[LEASES], d[1] = h[LEASES] + 1, d[1] + 1
  nextTurn(h)
  return {token, e, redis.call('HGET', Notes, hostname) or '', h[IP], floor(hostname), isAbove(posOf(seated, name)) and 1 or 0, name,
    told(h)}
end

-- mend is for when nothing has its turn. What a server has lost, since it throws keys away when its memory is full or somebody took
-- them out, is made anew where it can be told from the rest; else it tells what is wrong, so that nobody waits for what never comes.
local function mend(life)
  if redis.call('HLEN', Leases) > 0 then
    if redis.call('ZCARD', Expiries) == 0 then
      for _, token in ipairs(redis.call('HKEYS', Leases)) do redis.call('ZADD', Expiries, now + life, token) end
    end
    return nil
  end
  local waiting = current('state0') - current('stopped')
  if waiting <= 0 or redis.call('ZCARD', TimedDomains) > 0 then return nil end
  for _, name in ipairs(redis.call('HKEYS', Hosts)) do
    local h = host(name)
    h[LEASES], domain(h[DOMAIN])[DLEASES] = 0, 0
  end
  settleHosts()
  if redis.call('ZCARD', ReadyDomains) + redis.call('ZCARD', TimedDomains) == 0 then
    return waiting .. ' URLs are pending and none is in a queue: the server has lost keys'
  end
end

local run = {}

-- take leases up to so many URLs, and tells after how many microseconds there may be more, and more of a priority above 0; -1 if
-- nobody knows.
function run.take()
  local node, life, wanted = arg(), num(), num()
  expire()
  settleFamilies()
  settleHosts()
  sweepOn()
  settleHosts()
  for _ = 1, 20 do
    local due = redis.call('ZRANGEBYSCORE', TimedDomains, '-inf', now, 'LIMIT', 0, 50)
    if #due == 0 then break end
    for _, name in ipairs(due) do domain(name) end
    settleHosts()
  end
  local leases, late = {}, 0
  while #leases < wanted and late < atOnce do
    local name = redis.call('ZRANGE', ReadyDomains, 0, 0)[1]
    if not name then break end
    if sweeping and isLate(name) then
      late = late + 1
    else
      local l = lease(name, node, life)
      if l.err then return l end
      leases[#leases + 1] = l
    end
    settleFamilies()
    settleHosts()
  end
  local wake = -1
  local broken = #leases == 0 and redis.call('ZCARD', ReadyDomains) == 0 and mend(life)
  if broken then return redis.error_reply('CORRUPT ' .. broken) end
  if sweeping or redis.call('ZCARD', ReadyDomains) > 0 then
    wake = 0
  else
    for _, key in ipairs({TimedDomains, Expiries}) do
      local nearest = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')
      if nearest[2] and (wake < 0 or nearest[2] - now < wake) then wake = math.max(0, nearest[2] - now) end
    end
  end
  local above = hasRanks() and redis.call('ZRANGE', Ranked, 0, 0, 'WITHSCORES')[2]
  if #leases > 0 or next(sums) then finish() end
  return {wake, leases, above and math.max(0, above - now) or -1}
end

-- done ends a lease with an outcome. If some of what comes with it belongs elsewhere, nothing is done, and the answer says of which hosts.
function run.done()
  local token, digest, node = num(), arg(), arg()
  local state, reason, try, wait, atLeast = num(), arg(), num(), num(), num()
  local request, hostDelay, notBefore, ip, noted, note, into = arg() == '1', num(), num(), arg(), arg() == '1', arg(), arg()
  local said = num()
  local elsewhere = goers()
  if #elsewhere > 0 then return elsewhere end
  local held = redis.call('HGET', Leases, token)
  local of = held and cmsgpack.unpack(held)
  if not held or of[3] ~= node or of[1] ~= digest then -- a server that has lost what it gave may give a token twice
    local e = entry(digest)
    return e and e[TOKEN] == -token and 1 or 0 -- it was applied, and the answer was lost; or another node has the URL
  end
  local l, e, h, d = unlease(token)
  health(h) -- before the host was asked now
  local least, gap = math.max(floor(l[2]), h[DELAY]), 0
  if h[LASTEND] > 0 then gap = math.min(math.max(0, now - h[LASTEND]), math.max(least, LONGESTGAP)) end
  if request then
    asked(l[2], h, d)
    countRequest(l[2], h, d)
    h[ASKED] = h[ASKED] + l[5]
  end
  if hostDelay ~= 0 then h[DELAY] = math.max(hostDelay, 0) end
  if notBefore > 0 then h[HNOTBEFORE] = math.max(h[HNOTBEFORE], now + notBefore) end
  if ip ~= '' then h[IP] = ip end
  if said > 0 then reply(h, said, gap, math.max(floor(l[2]), h[DELAY])) end
  if noted then redis.call('HSET', Notes, l[2], note) end
  e[TRIES] = e[TRIES] + try
  if state ~= PUTOFF and e[STATE] == PUTOFF then -- it is drawn now
    tally(e, -1)
    resume(digest, e, 1)
    e[STATE] = PENDING
    tally(e, 1)
  end
  local pending = e[STATE] == PENDING
  if state == PUTOFF then
    if pending or e[STATE] == PUTOFF then
      tally(e, -1)
      if drawn(e) then undraw(e, true) end
      if not pending then resume(digest, e, 0) end
      e[TOKEN], e[REASON], e[FAMILY], e[NOTBEFORE] = -token, reason, into, 0
      set(e, FRONT, false)
      set(e, BACKOFF, false)
      postpone(digest, e)
      tally(e, 1)
    end
    keep(digest, e)
  elseif state ~= RETRY and state ~= DEFER then
    if pending and drawn(e) then undraw(e) end
    tally(e, -1)
    e[TOKEN], e[STATE], e[SETTLED], e[REASON], e[NOTBEFORE], e[NODE] = -token, state, now, reason, 0, node
    set(e, FRONT, false)
    set(e, BACKOFF, false)
    tally(e, 1)
    keep(digest, e)
  else
    if pending then
      if atLeast > 0 then wait = math.max(wait, 2 * math.max(delay, h[DELAY], slow(h))) end
      e[REASON], e[NOTBEFORE] = reason, wait > 0 and now + wait or 0
      set(e, FRONT, state == DEFER)
      set(e, BACKOFF, wait > 0)
    end
    free(token, l, e, -token)
  end
  amend()
  finish()
  return 1
end

-- reopen lets every family be drawn from again, for as many URLs as wait in it now beyond what was drawn.
function run.reopen()
  local names = redis.call('HKEYS', Families)
  table.sort(names)
  for _, name in ipairs(names) do
    local f = family(name)
    f[CLOSED] = 0
    if limit > 0 then f[ADDED] = math.max(f[ADDED], f[DRAWN] + f[WAITING] - limit) end
    moved(f)
  end
  finish()
  return 0
end

function run.families()
  local all = redis.call('HGETALL', Families)
  for i = 2, #all, 2 do all[i] = cmsgpack.unpack(all[i]) end
  return all
end

-- putoff reads some of the URLs that wait in a family, behind a place.
function run.putoff()
  local v, from, wanted = redis.call('HGET', Families, arg()), arg(), num()
  if not v then return {} end
  local prefix, found = struct.pack('>I4', cmsgpack.unpack(v)[FNUMBER]), {}
  for _, member in ipairs(redis.call('ZRANGEBYLEX', PutOff, from == '' and '[' .. prefix or '(' .. from, '(' .. prefix .. '\255',
    'LIMIT', 0, wanted)) do
    found[#found + 1] = member
    found[#found + 1] = entry(string.sub(member, -16))
  end
  return found
end

-- back ends leases without a trace but that the host waits.
function run.back()
  local node = arg()
  for _ = 1, num() do
    local token, hold = num(), num()
    local held = redis.call('HGET', Leases, token)
    if held and cmsgpack.unpack(held)[3] == node then
      local l, e, h = unlease(token)
      h[HELD], h[TURN] = now + hold, l[4]
      free(token, l, e, 0)
    end
  end
  finish()
  return 1
end

-- renew lets leases last longer, and returns those that are lost.
function run.renew()
  local node, life = arg(), num()
  local lost = {}
  for _ = 1, num() do
    local token = arg()
    local held = redis.call('HGET', Leases, token)
    if held and cmsgpack.unpack(held)[3] == node then
      redis.call('ZADD', Expiries, now + life, token)
    else
      lost[#lost + 1] = token
    end
  end
  return lost
end

-- amend is done once under each name: what an answer that was lost has done is not done again. The name is forgotten when nobody can come
-- with it any more. As with done, what belongs elsewhere is named, and nothing done.
function run.amend()
  local name, life = arg(), num()
  local elsewhere = goers()
  if #elsewhere > 0 then return {0, 0, elsewhere} end
  if name ~= '' then
    if redis.call('ZSCORE', Expiries, name) then return {0, 0} end
    redis.call('ZADD', Expiries, now + life, name)
  end
  local added, excluded = amend()
  finish()
  return {added, excluded}
end

-- delivered forgets late changes that were applied.
function run.delivered()
  sum('late', -redis.call('HDEL', Late, arg()))
  finish()
  return 1
end

-- endWaits ends the waits of a host and of some of its URLs that go on after limit. It returns how many, and whether there are more.
local function endWaits(name, limit)
  local h, ended = host(name), 0
  if h[HNOTBEFORE] > limit then h[HNOTBEFORE], ended = 0, 1 end
  local prefix = struct.pack('>I4', h[NUMBER])
  local some = redis.call('ZRANGEBYLEX', Waiting, '[' .. prefix .. struct.pack('>I8', limit + 1), '(' .. prefix .. '\255', 'LIMIT', 0, 200)
  for _, member in ipairs(some) do
    local digest = string.sub(member, 19) -- after number, time and age
    local e = entry(digest)
    redis.call('ZREM', Waiting, member)
    set(e, BACKOFF, false)
    e[NOTBEFORE] = 0
    enqueue(e, digest)
    keep(digest, e)
  end
  return ended + #some, #some == 200
end

-- waits ends the waits of some hosts, from a cursor on, that would last longer than longest. It returns the next cursor, how many these
-- were, and whether it is to be called again.
function run.waits()
  local cursor, limit = arg(), now + num()
  local step = redis.call('HSCAN', Hosts, cursor, 'COUNT', atOnce)
  local ended, more = 0, false
  for i = 1, #step[2], 2 do
    local n, others = endWaits(step[2][i], limit)
    ended, more = ended + n, more or others
  end
  finish()
  if more then return {cursor, ended, 1} end
  return {step[1], ended, step[1] ~= '0' and 1 or 0}
end

-- again requeues fetched and failed entries, with the second argument also those that an answer excluded, and adds the counters of each
-- requeued one.
function run.again()
  local reason, excluded, again = arg(), arg() == '1', 0
  for _ = 1, num() do
    local digest, settled, tries, wait, counters = arg(), num(), num(), num(), num()
    local e = entry(digest)
    local does = e and (e[STATE] == FETCHED or e[STATE] == FAILED or excluded and e[STATE] == EXCLUDED and e[HOST] ~= '')
    if does and (settled == 0 or settled == e[SETTLED]) then
      tally(e, -1)
      e[STATE], e[SETTLED], e[TRIES], e[REASON], e[TOKEN], e[FAMILY] = PENDING, 0, tries, reason, 0, ''
      e[NOTBEFORE] = wait > 0 and now + wait or 0
      set(e, BACKOFF, wait > 0)
      tally(e, 1)
      enqueue(e, digest)
      keep(digest, e)
      count(counters)
      again = again + 1
    else
      for _ = 1, 2 * counters do arg() end
    end
  end
  finish()
  return again
end

-- rules puts rules in force, or takes them back, and begins to place their hosts, which sweep goes on with until it returns 0.
function run.rules()
  local number, changed = num(), {}
  for _ = 1, num() do
    local name, there, wait, budget, priority, off = arg(), arg() == '1', num(), num(), num(), num()
    local v = redis.call('HGET', Rules, name)
    local old = v and cmsgpack.unpack(v) or {0}
    if old[1] <= number then
      local was = #old > 1
      redis.call('HSET', Rules, name, cmsgpack.pack(there and {number, wait, budget, priority, off, 0} or {number}))
      sum('ranks', (there and priority ~= 0 and 1 or 0) - (was and old[RANK] ~= 0 and 1 or 0))
      redis.call('HDEL', Sums, 'asked ' .. name)
      changed[name] = true
    end
  end
  ruled, ranked = true, current('ranks') > 0
  if not ranked then redis.call('DEL', Ranked) end
  redis.call('HSET', Sums, 'rules', math.max(current('rules'), number))
  sweep(changed, number)
  finish()
  return readSweep() and 1 or 0
end

-- spend stops what is under a rule whose budget was used up in all partitions together.
function run.spend()
  local name, budget = arg(), num()
  local v = redis.call('HGET', Rules, name)
  local r = v and cmsgpack.unpack(v)
  if not r or r[BUDGET] ~= budget or r[SPENT] == 1 then return 0 end
  r[SPENT] = 1
  redis.call('HSET', Rules, name, cmsgpack.pack(r))
  sweep({[name] = 1})
  finish()
  return readSweep() and 1 or 0
end

function run.sweep()
  sweepOn()
  finish()
  return readSweep() and 1 or 0
end

-- table notes rules, as nodes write them, in the list of all, whose only key that is; a name without a text was taken back.
function run.table()
  local all, number = Entries, num()
  for _ = 1, num() do
    local name, text = arg(), arg()
    local old = redis.call('HGET', all, name)
    if not old or tonumber(string.match(old, '^%d+')) <= number then redis.call('HSET', all, name, number .. ' ' .. text) end
  end
  return redis.call('HINCRBY', all, '', 1)
end

-- queues tells of hosts of which URLs are pending, of very many only some: name, how many URLs, leases, after how many microseconds it may
-- be asked, and why not before, in the words of package frontier.
function run.queues()
  local found, all = {}, redis.call('HSCAN', Hosts, 0, 'COUNT', 500)[2]
  for i = 1, #all, 2 do
    local h = cmsgpack.unpack(all[i + 1])
    local prefix = struct.pack('>I4', h[NUMBER])
    local from, to = '[' .. prefix, '(' .. prefix .. '\255'
    local ready, waiting = redis.call('ZLEXCOUNT', Ready, from, to), redis.call('ZLEXCOUNT', Waiting, from, to)
    local left = ready + waiting - (h[STILL] or 0)
    if left + h[LEASES] > 0 then
      local d = redis.call('HGET', Domains, h[DOMAIN])
      local due, ofDomain, why = pace(all[i], h), d and cmsgpack.unpack(d)[2] or 0, 'polite'
      if ready == 0 and waiting > 0 then due = math.max(due, dueOf(first(Waiting, prefix))) end
      if h[LEASES] > 0 then
        why = 'asked'
      elseif math.max(due, ofDomain) <= now then
        why = ''
      elseif ofDomain > due then
        why = 'domain'
      elseif due == h[HELD] then
        why = 'address'
      elseif due == h[HNOTBEFORE] and h[HEALTH] and h[HEALTH][REFUSALS] > 0 then
        why = 'refused'
      elseif due == h[HNOTBEFORE] or ready == 0 then
        why = 'backoff'
      end
      found[#found + 1] = {all[i], left, h[LEASES], math.max(0, math.max(due, ofDomain) - now), why}
    end
  end
  return found
end

function run.lookup() return entry(arg()) or false end

-- scan reads some entries from a cursor on.
function run.scan()
  local step = redis.call('HSCAN', Entries, arg(), 'COUNT', 200)
  local found = {}
  for i = 2, #step[2], 2 do found[#found + 1] = cmsgpack.unpack(step[2][i]) end
  return {step[1], found}
end

function run.sums() return redis.call('HGETALL', Sums) end

-- enter lets a lease ask an address, again if it may already; otherwise it returns for how long to leave it alone. Those that are
-- turned away are told different times, so that of a thousand hosts behind one address not all come at once.
function run.enter()
  local address, id, life, allowed, wait = arg(), arg(), num(), num(), num()
  local v = redis.call('HGET', Addresses, address)
  local a = v and cmsgpack.unpack(v) or {0, 0, {}} -- due, last time that was told, leases
  local held, again = {}, false
  for _, l in ipairs(a[3]) do
    if l[1] == id then
      again = true -- nobody has come since, or it would be gone
    elseif l[2] > now then
      held[#held + 1] = l
    else
      a[1] = math.max(a[1], l[2] + wait)
    end
  end
  local leave = 0
  if not again and (#held >= allowed or a[1] > now) then
    a[2] = math.max(a[1], a[2], now) + (#held >= allowed and math.max(wait, 100000) or 0)
    leave = math.max(a[2] - now, 1)
    if #held < allowed then a[2] = a[2] + math.max(wait, 1000) end
  else
    held[#held + 1] = {id, now + life}
  end
  redis.call('HSET', Addresses, address, cmsgpack.pack({a[1], a[2], held}))
  return leave
end

-- leave ends what enter allowed. An address that was asked is left alone for a while.
function run.leave()
  local address, id, wait = arg(), arg(), num()
  local v = redis.call('HGET', Addresses, address)
  local a = v and cmsgpack.unpack(v) or {0, 0, {}}
  local held = {}
  for _, l in ipairs(a[3]) do
    if l[1] ~= id then held[#held + 1] = l end
  end
  if wait > 0 then a[1] = math.max(a[1], now + wait) end
  if #held == 0 and a[1] <= now then
    redis.call('HDEL', Addresses, address)
  else
    redis.call('HSET', Addresses, address, cmsgpack.pack({a[1], a[2], held}))
  end
  return 1
end

-- pass leases the domain of a host that is elsewhere, if it may be asked. Otherwise it returns, below zero, for how long to leave it
-- alone: different times, as of addresses.
function run.pass()
  local name, node, life, wait, hostname = arg(), arg(), num(), num(), arg()
  local d = domain(name)
  d[WAITERS], d[OWED], d[DHELD] = d[WAITERS] or {}, d[OWED] or 0, d[DHELD] or 0
  local full = d[DLEASES] >= perDomain
  if not full and d[DUE] <= now then
    d[WAITERS][hostname] = nil
    owe(d, math.max(0, d[OWED] - 1), wait)
    local token = redis.call('HINCRBY', Sums, 'tokens', 1)
    redis.call('HSET', Leases, token, cmsgpack.pack({'', '', node, 0, 0, name}))
    redis.call('ZADD', Expiries, now + life, token)
    d[DLEASES] = d[DLEASES] + 1
    finish()
    return token
  end
  d[TOLD] = math.max(d[DUE], d[TOLD], now) + (full and math.max(wait, 100000) or 0)
  local leave = math.max(d[TOLD] - now, 1)
  local waiting = 0
  for _ in pairs(d[WAITERS]) do waiting = waiting + 1 end
  if waiting < 50 then d[WAITERS][hostname] = now + leave end
  if not full then d[TOLD] = d[TOLD] + math.max(wait, 1000) end
  finish()
  return -leave
end

-- passed ends what pass allowed, after a request with the wait of the host.
function run.passed()
  local token, node, wait = num(), arg(), num()
  local v = redis.call('HGET', Leases, token)
  local l = v and cmsgpack.unpack(v)
  if not l or l[3] ~= node then return 0 end
  local d = depart(token, l[6])
  if wait >= 0 then
    d[DUE] = math.max(d[DUE], now + math.min(domainDelay, wait))
    owe(d, d[OWED] or 0, wait)
  end
  finish()
  return 1
end

-- total adds to a total what a node has counted since it last said so. The only key is the crawl's.
function run.total()
  local crawl, total, of, counted = Entries, arg(), arg(), num()
  local since = counted - (redis.call('HGET', crawl, of) or 0)
  if since <= 0 then return tonumber(redis.call('HGET', crawl, total) or 0) end
  redis.call('HSET', crawl, of, counted)
  return redis.call('HINCRBY', crawl, total, since)
end

-- stop stops a crawl, as somebody says; goon lets it go on again, unless that was said since a moment. The only key is the crawl's.
function run.stop()
  redis.call('HSETNX', Entries, 'stopped', arg())
  redis.call('HSET', Entries, 'stopped at', now)
  return 1
end
function run.goon()
  if tonumber(redis.call('HGET', Entries, 'stopped at') or 0) >= num() then return 0 end
  if redis.call('HDEL', Entries, 'stopped') == 1 then redis.call('HDEL', Entries, 'session') end
  return 1
end

-- mark writes the marker of a partition: what is refused without it would end as if nothing had been lost.
function run.mark()
  return redis.call('HSETNX', Sums, 'marker', 1)
end

redis.register_function('LIBRARY', function(keys, args)
  begin(keys, args)
  if Sums and args[1] ~= 'mark' and redis.call('HEXISTS', Sums, 'marker') == 0 then
    return redis.error_reply('LOST the marker of the partition is gone')
  end
  return run[args[1]]()
end)
