# results.awk: the page of results with the sections of finished experiments renewed. See papers/tools/results.
#
# Variables: dir, where the experiments are; page, the name of what is read. Notes go to standard error.
# Only what `tacit-papers` writes is read of JSON: one line, keys in their known order.

function note(text) { print text | "cat 1>&2" }

# ---- what one experiment has shown: lines of table.md, and marks of statements from summary.json

function slurp(path,    line, all) {
    all = ""
    while ((getline line <path) > 0)
        all = all line "\n"
    close(path)
    return all
}

# Is there all of it, and not of a quick run? setting[name] is the first line of table.md, body[name] the
# rows and statements, summary[name] the JSON.
function load(name,    text, json) {
    if (name in loaded)
        return loaded[name]
    loaded[name] = 0
    text = slurp(dir "/" name "/table.md")
    json = slurp(dir "/" name "/summary.json")
    if (text == "" || json == "" || slurp(dir "/" name "/figure.svg") == "")
        return 0
    if (json ~ /"quick":true/) {
        note(name ": a quick run is not taken")
        return 0
    }
    setting[name] = substr(text, 1, index(text, "\n") - 1)
    sub(/`tacit reproduce /, "`tacit-papers ", setting[name]) # as the program was called before
    body[name] = substr(text, index(text, "\n") + 2)
    summary[name] = json
    return loaded[name] = 1
}

# The string after `key` in `text`, up to the next quote.
function after(text, key,    at) {
    at = index(text, key)
    if (!at)
        return ""
    text = substr(text, at + length(key))
    return substr(text, 1, index(text, "\"") - 1)
}

function number_after(text, key,    at) {
    at = index(text, key)
    return at ? substr(text, at + length(key)) + 0 : "none"
}

# ---- verdicts and stars of a table, ours or that on the page

# Reads one line; fills word[what, text] and star[what, row].
function take_line(what, line,    text, cells) {
    if (line ~ /^- .*: \*\*(holds|fails|undecided|too few runs)\*\*/) {
        text = line
        sub(/: \*\*(holds|fails|undecided|too few runs)\*\*.*/, "", text)
        text = tolower(substr(text, 3))
        match(line, /\*\*(holds|fails|undecided|too few runs)\*\*/)
        word[what, text] = substr(line, RSTART + 2, RLENGTH - 4)
        count[what, word[what, text]]++
        says[what]++
    } else if (line ~ /^\|/ && split(line, cells, / *\| */) >= 6) {
        if (cells[4] ~ /^-?[0-9][0-9.e+-]*( \*)?$/) {
            printed[what]++
            starred[what] += cells[4] ~ /\*$/
            star[what, cells[2] " at " cells[3]] = cells[4] ~ /\*$/ ? "has a star" : "has no star"
        }
    }
}

function take(name,    lines, n, i) {
    if (name in taken)
        return
    taken[name] = 1
    n = split(body[name], lines, "\n")
    for (i = 1; i <= n; i++)
        take_line("new " name, lines[i])
}

function say(n, one, many, before) {
    return n ? (before == "" ? "" : before ", ") n " " (n == 1 ? one : many) : before
}

# "2 hold, 1 undecided; 4 of 6 printed numbers agree"
function verdicts(name,    what, out) {
    take(name)
    what = "new " name
    out = say(count[what, "holds"], "holds", "hold", "")
    out = say(count[what, "fails"], "fails", "fail", out)
    out = say(count[what, "undecided"], "undecided", "undecided", out)
    out = say(count[what, "too few runs"], "of too few runs", "of too few runs", out)
    if (printed[what])
        out = out (out == "" ? "" : "; ") (printed[what] - starred[what]) " of " printed[what] \
            " printed numbers agree"
    return out
}

function compare(name,    key, part, was) {
    take(name)
    for (key in word) {
        split(key, part, SUBSEP)
        was = "old " name
        if (part[1] != "new " name)
            continue
        if (!((was, part[2]) in word))
            changed(name, "a statement that is new: " part[2] ": " word[key])
        else if (word[was, part[2]] != word[key])
            changed(name, part[2] ": was " word[was, part[2]] ", is " word[key])
    }
    for (key in star) {
        split(key, part, SUBSEP)
        was = "old " name
        if (part[1] == "new " name && (was, part[2]) in star && star[was, part[2]] != star[key])
            changed(name, part[2] ": now " star[key])
    }
}

function changed(name, text) {
    note(name ": " text)
    others[name] = 1
}

# ---- generated parts

function add(line) { out[++n_out] = line }

function picture(name) { add("![" name "](img/results-" name ".svg)"); add("") }

function generate_one(name,    lines, n, i) {
    add(setting[name])
    add("")
    picture(name)
    n = split(body[name], lines, "\n")
    for (i = 1; i < n; i++)
        add(lines[i])
    compare(name)
}

# Fills line_of[arm], and mark[line, point, k] with the ratio to the k-th arm that statements compare with.
function read_statements(name,    part, n, i, arm, at, versus, ratio, word_, k) {
    split("", line_of); split("", mark); split("", order)
    n_versus = 0
    n = split(summary[name], part, /\{"name":"/)
    for (i = 2; i <= n; i++)
        line_of[substr(part[i], 1, index(part[i], "\"") - 1)] = after(part[i], "\"line\":\"")
    n = split(summary[name], part, /\{"statement":"/)
    for (i = 2; i <= n; i++) {
        arm = after(part[i], "\"a\":{\"arm\":\"")
        at = number_after(part[i], ",\"x\":")
        versus = after(part[i], "\"b\":{\"arm\":\"")
        word_ = after(part[i], "\"verdict\":\"")
        ratio = sprintf("%.2f", number_after(part[i], "\"ratio\":"))
        if (!(versus in order))
            order[versus] = ++n_versus
        k = order[versus]
        mark[line_of[arm], at, k] = word_ == "holds" ? "**" ratio "**" : \
            word_ == "fails" ? ratio " ×" : ratio
    }
}

# A cell of the common table: ratios where statements compare this line, else the mean and its error.
function common_cell(line, at, moments,    k, cell) {
    cell = ""
    for (k = 1; k <= n_versus; k++)
        if ((line, at, k) in mark)
            cell = cell (cell == "" ? "" : ", ") mark[line, at, k]
    return cell == "" ? moments : cell
}

# row[point, member]: the cells of a row of the common table, for all points of one experiment.
function fill_common(name, member,    lines, cells, n, i, at, line, value) {
    read_statements(name)
    n = split(body[name], lines, "\n")
    n_lines = 0
    for (i = 1; i <= n; i++) {
        if (lines[i] !~ /^\|/ || lines[i] ~ /^\|---/)
            continue
        split(lines[i], cells, / *\| */)
        if (!("head" in common)) {
            common["head"] = cells[2]
            continue
        }
        if (cells[5] == "tacit (paper mode)")
            continue
        line = cells[2]
        if (line != last_line) {
            n_lines++
            at = 0
            last_line = line
            name_of_line[n_lines] = line
        } else
            at++
        name_of_point[at] = cells[3]
        n_points = at + 1
        value = cells[6] == "–" ? cells[5] : cells[6]
        row[at, member] = row[at, member] " " common_cell(line, at, value) " |"
    }
    last_line = ""
}

function generate_common(names, n,    i, at, head, rule) {
    split("", common); split("", row)
    for (i = 1; i <= n; i++)
        add(setting[names[i]])
    add("")
    for (i = 1; i <= n; i++) {
        picture(names[i])
        fill_common(names[i], i)
    }
    head = "| " common["head"] " | N |"
    rule = "|---|---|"
    for (i = 1; i <= n_lines; i++) {
        head = head " " name_of_line[i] " |"
        rule = rule "---|"
    }
    add(head)
    add(rule)
    for (at = 0; at < n_points; at++)
        for (i = 1; i <= n; i++)
            add("| " name_of_point[at] " | " suffix[i] " |" row[at, i])
}

# ---- the page

# "alike-digits-45, -90, -180" as names of experiments and what they end in. Returns how many.
function expand(text, names,    n, i, stem) {
    n = split(text, names, ", ")
    stem = names[1]
    sub(/-[^-]*$/, "", stem)
    for (i = 1; i <= n; i++) {
        if (i > 1)
            names[i] = stem names[i]
        suffix[i] = substr(names[i], length(stem) + 2)
    }
    return n
}

function open_section(heading,    i) {
    sub(/^### /, "", heading)
    sub(/: .*/, "", heading)
    n_names = heading ~ /^[a-z0-9-]+(, -[a-z0-9]+)*$/ ? expand(heading, names) : 0
    renewing = n_names > 0
    for (i = 1; i <= n_names; i++)
        renewing = load(names[i]) && renewing
    below = 0
}

function close_section(    i) {
    if (!renewing)
        return
    renewing = 0
    for (i = 1; i <= n_names; i++)
        written[names[i]] = 1
    take(names[1])
    if (n_names == 1 && says["new " names[1]] <= MOST_SAID)
        generate_one(names[1])
    else
        generate_common(names, n_names)
    add("")
}

function is_setting(line) { return line ~ /`tacit-papers [a-z0-9-]+ --runs [0-9]+[^`]*`$/ }

BEGIN { MOST_SAID = 20 } # more statements are shown as ratios in the table

/^#/ {
    close_section()
    add($0)
    if (/^### /)
        open_section($0)
    next
}

# A row of the table of verdicts.
!renewing && /^\| [a-z0-9-]+ \| .* \| .*\|$/ && !n_names {
    split($0, cells, / *\| */)
    name = cells[2]
    if (load(name)) {
        was = cells[4]
        in_table[name] = 1
        add("| " name " | " cells[3] " | " verdicts(name) " |")
        if (was != verdicts(name))
            changed(name, "was " was "; is " verdicts(name))
        next
    }
}

renewing && is_setting($0) { below = 1 }

renewing && below {
    if ($0 != "" && !is_setting($0) && $0 !~ /^(\||!\[|- )/) {
        note(page ":" NR ": below the line of settings there is a text; it belongs above")
        failed = 1
    }
    if (n_names == 1)
        take_line("old " names[1], $0)
    next
}

{ add($0) }

END {
    close_section()
    if (failed)
        exit 1
    while (n_out > 1 && out[n_out] == "")
        n_out--
    for (i = 1; i <= n_out; i++)
        print out[i]
    for (name in written) {
        n_written++
        if (!(name in in_table))
            note(name ": has no row in the table of verdicts; it would be\n| " name " | " \
                 after(summary[name], "\"claim\":\"") " | " verdicts(name) " |")
    }
    for (name in others)
        n_others++
    note(page ": " (n_written + 0) " experiments, " (n_others + 0) " with other verdicts or stars than before")
}
