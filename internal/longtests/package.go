package main

import (
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// variable is the environment variable that requests the long run.
const variable = "RODATA_TEST_LONG"

// pack has the declarations in the test files of a package, by name. Methods are listed by their bare name, so two
// methods of the same name count as one. As a result, the list may contain a test too many, but never misses one.
type pack struct {
	uses  map[string]names // what each declaration mentions
	tests []string
	long  names // what depends on the variable
}

type names map[string]bool

// parse reads the test files of a folder.
func parse(folder fs.FS) (*pack, error) {
	p := &pack{uses: map[string]names{}, long: names{}}
	paths, err := fs.Glob(folder, "*_test.go")
	if err != nil {
		return nil, err
	}

	for _, path := range paths {
		source, err := fs.ReadFile(folder, path)
		if err != nil {
			return nil, err
		}

		file, err := parser.ParseFile(token.NewFileSet(), path, source,
			parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}

		raced := forRaceDetector(file)
		for _, d := range file.Decls {
			p.add(d, raced)
		}
	}

	return p, nil
}

// forRaceDetector reports whether a file is compiled only with the race detector.
func forRaceDetector(file *ast.File) bool {
	for _, group := range file.Comments {
		for _, comment := range group.List {
			if x, err := constraint.Parse(comment.Text); err == nil && comment.Pos() < file.Package {
				return !x.Eval(func(tag string) bool { return tag != "race" })
			}
		}
	}

	return false
}

// add enters a declaration.
func (p *pack) add(d ast.Decl, raced bool) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		used := mentioned(d)
		switch name := d.Name.Name; {
		case name == "init" && d.Recv == nil:
			if raced || used[variable] {
				p.addAssigned(d)
			}
		default:
			p.enter(name, used)
			if d.Recv == nil && isTest(name) {
				p.tests = append(p.tests, name)
			}
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if value, ok := spec.(*ast.ValueSpec); ok {
				for _, name := range value.Names {
					p.enter(name.Name, mentioned(value))
				}
			}
		}
	}
}

func isTest(name string) bool {
	return strings.HasPrefix(name, "Test") && name != "TestMain" || strings.HasPrefix(name, "Fuzz")
}

func (p *pack) enter(name string, used names) {
	if p.uses[name] == nil {
		p.uses[name] = names{}
	}

	maps.Copy(p.uses[name], used)
	delete(p.uses[name], name)
}

// addAssigned records the variables that an init function assigns.
func (p *pack) addAssigned(d *ast.FuncDecl) {
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				p.addVariable(left)
			}
		case *ast.IncDecStmt:
			p.addVariable(n.X)
		}

		return true
	})
}

func (p *pack) addVariable(x ast.Expr) {
	if name, ok := x.(*ast.Ident); ok {
		p.long[name.Name] = true
	}
}

// mentioned returns the names in a declaration, except local ones, and the variable if it is read.
func mentioned(d ast.Node) names {
	used, local := names{}, names{}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			used[n.Name] = true
		case *ast.BasicLit:
			if n.Value == `"`+variable+`"` {
				used[variable] = true
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, left := range n.Lhs {
					if name, ok := left.(*ast.Ident); ok {
						local[name.Name] = true
					}
				}
			}
		case *ast.Field:
			for _, name := range n.Names {
				local[name.Name] = true
			}
		}

		return true
	})
	for name := range local {
		delete(used, name)
	}

	return used
}

// longTests returns the tests that depend on the variable, or all tests if TestMain depends on it.
func (p *pack) longTests() []string {
	p.long[variable] = true
	for grown := true; grown; {
		grown = false
		for name, used := range p.uses {
			if p.long[name] {
				continue
			}

			for one := range used {
				if p.long[one] {
					p.long[name], grown = true, true
					break
				}
			}
		}
	}

	if p.long["TestMain"] {
		return p.tests
	}

	return slices.DeleteFunc(slices.Clone(p.tests), func(test string) bool { return !p.long[test] })
}
