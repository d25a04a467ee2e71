# Prints "file:line:code" with comments blanked and the insides of strings removed, so that a
# search meets code and nothing else. A character at a time; comments may span lines.
FNR == 1 { inside = 0 }
{
    code = ""; quote = ""
    n = length($0)
    for (i = 1; i <= n; i++) {
        c = substr($0, i, 1); two = substr($0, i, 2)
        if (inside) {
            if (two == "*/") { inside = 0; i++ }
        } else if (quote != "") {
            if (c == "\\") i++
            else if (c == quote) { quote = ""; code = code c }
        } else if (two == "/*") {
            inside = 1; i++
        } else if (two == "//") {
            break
        } else {
            if (c == "\"" || c == "'") quote = c
            code = code c
        }
    }
    print FILENAME ":" FNR ":" code
}
